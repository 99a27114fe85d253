package io.txbox.benchmarks;

import java.io.PrintWriter;

/** Prints results as tables, in Markdown. */
final class Report {
  private final PrintWriter out;

  Report(PrintWriter out) {
    this.out = out;
  }

  void print(Results results) {
    rates(results);
    out.println();
    ratios(results);
    out.flush();
  }

  private void rates(Results results) {
    out.println(
        "| arm          | cost        | messages | msg/s, median | min – max         | connections |"
            + " msg/transaction |");
    out.println(
        "|--------------|-------------|---------:|--------------:|-------------------|------------:|"
            + "----------------:|");
    for (Case measured : results.cases()) {
      Spread rate = results.spread(measured, Sample::perSecond);
      out.printf(
          "| %-12s | %-11s | %,8.0f | %,13.0f | %-17s | %11d | %15.1f |%n",
          measured.arm().label(),
          measured.arm() == Arm.DUPLICATES ? "none runs" : measured.cost().label(),
          results.spread(measured, Sample::messages).median(),
          rate.median(),
          "%,.0f – %,.0f".formatted(rate.min(), rate.max()),
          results.connections(measured),
          results.spread(measured, Sample::perTransaction).median());
    }
  }

  private void ratios(Results results) {
    out.println(
        "| ratio                                                    | median | min – max     | to"
            + " reach | reached |");
    out.println(
        "|----------------------------------------------------------|-------:|---------------|-"
            + "--------:|---------|");
    for (Goal goal : Goal.ALL) {
      results
          .ratio(goal.left(), goal.right())
          .ifPresent(
              ratio ->
                  out.printf(
                      "| %-56s | %6.2f | %-13s | %8s | %-7s |%n",
                      goal.name(),
                      ratio.median(),
                      "%.2f – %.2f".formatted(ratio.min(), ratio.max()),
                      plain(goal.reach()),
                      ratio.median() >= goal.reach() ? "yes" : "no"));
    }
    results
        .laneConnections()
        .ifPresent(
            used ->
                out.printf(
                    "| %-56s | %6d | %-13s | %8s | %-7s |%n",
                    "connections used by the lanes",
                    used,
                    "",
                    "≤ " + Goal.CONNECTIONS,
                    used <= Goal.CONNECTIONS ? "yes" : "no"));
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? "%.0f".formatted(number) : Double.toString(number);
  }
}
