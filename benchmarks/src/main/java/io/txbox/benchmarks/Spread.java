package io.txbox.benchmarks;

import java.util.List;

/** The middle and the ends of what several rounds gave. */
record Spread(double median, double min, double max) {
  /**
   * Takes the spread of at least one value.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Spread of(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a spread needs at least one value");
    }
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1));
  }
}
