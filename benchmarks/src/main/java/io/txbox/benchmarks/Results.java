package io.txbox.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToDoubleFunction;

/** The samples of all rounds, and what follows from them. */
record Results(List<Sample> samples) {
  /** Returns what was measured, in the order of the arms. */
  List<Case> cases() {
    return new LinkedHashSet<>(samples.stream().map(Sample::measured).toList())
        .stream().sorted(Comparator.comparing(Results::costOf).thenComparing(Case::arm)).toList();
  }

  Spread spread(Case measured, ToDoubleFunction<Sample> value) {
    return Spread.of(of(measured).stream().mapToDouble(value).boxed().toList());
  }

  /** Returns the most connections that a case had in use at once, in any round. */
  int connections(Case measured) {
    return of(measured).stream().mapToInt(Sample::connections).max().orElseThrow();
  }

  /** Returns the most connections that lanes with an inbox had in use at once. */
  OptionalInt laneConnections() {
    return samples.stream()
        .filter(
            sample ->
                sample.measured().arm().hasInbox() && sample.measured().arm().sharesTransactions())
        .mapToInt(Sample::connections)
        .max();
  }

  /** Returns the spread of a ratio, taken in each round, if both sides were measured. */
  Optional<Spread> ratio(Case left, Case right) {
    List<Double> ratios = new ArrayList<>();
    for (Sample above : of(left)) {
      for (Sample below : of(right)) {
        if (above.round() == below.round()) {
          ratios.add(above.perSecond() / below.perSecond());
        }
      }
    }
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
  }

  private List<Sample> of(Case measured) {
    return samples.stream().filter(sample -> sample.measured().equals(measured)).toList();
  }

  /** Duplicates stand beside the new messages that they are compared with. */
  private static Cost costOf(Case measured) {
    return measured.arm() == Arm.DUPLICATES ? Cost.STATEMENTS : measured.cost();
  }
}
