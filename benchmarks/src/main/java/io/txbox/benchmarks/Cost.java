package io.txbox.benchmarks;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What a handler does. */
enum Cost {
  NOTHING("0", "the handler does nothing"),
  STATEMENTS("statements", "one INSERT and one UPDATE of one of 1,000 rows"),
  UNCONTENDED("uncontended", "one INSERT and one UPDATE of a row that no other message has"),
  WAIT("5ms", "the handler waits for 5 ms");

  private final String label;
  private final String meaning;

  Cost(String label, String meaning) {
    this.label = label;
    this.meaning = meaning;
  }

  /**
   * Finds a cost.
   *
   * @throws IllegalArgumentException if there is none of this name, with all that there are
   */
  static Cost named(String label) {
    return Arrays.stream(values())
        .filter(cost -> cost.label.equals(label))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no cost '" + label + "'; there are " + labels()));
  }

  static String labels() {
    return Arrays.stream(values()).map(Cost::label).collect(Collectors.joining(", "));
  }

  String label() {
    return label;
  }

  String meaning() {
    return meaning;
  }

  /** Says whether a message has effects in the database. */
  boolean writes() {
    return this == STATEMENTS || this == UNCONTENDED;
  }
}
