package io.txbox.benchmarks;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a purge run came to.
 *
 * @param rest what was purged at the end, alone
 * @param deadlocks that the server saw
 * @param before what the inbox took before
 * @param after what it took when the server had cleaned up
 * @param dead how many deleted rows the server still kept, right after
 * @param deadLater how many it kept when it had cleaned up
 * @param waited for how long that was waited for
 */
record PurgeReport(
    List<PurgeSample> samples,
    Purger.Purged rest,
    long deadlocks,
    Rows.Size before,
    Rows.Size after,
    long dead,
    long deadLater,
    Duration waited) {
  private static final double KEPT = 0.9;

  void print(PrintWriter out) {
    out.println(
        "| arm                   | msg/s, median | min – max         | rows/s purged, median | min – max         |");
    out.println(
        "|-----------------------|--------------:|-------------------|----------------------:|-------------------|");
    for (PurgeArm arm : PurgeArm.values()) {
      Spread messages = spread(arm, PurgeSample::messagesPerSecond);
      Spread purged = spread(arm, sample -> sample.purged().perSecond());
      out.printf(
          "| %-21s | %,13.0f | %-17s | %,21.0f | %-17s |%n",
          arm.label(), messages.median(), ends(messages), purged.median(), ends(purged));
    }
    out.println();
    out.println(
        "| what                                                     | found         | min – max     | to reach | reached |");
    out.println(
        "|----------------------------------------------------------|--------------:|---------------|---------:|---------|");
    Spread kept = ratio();
    line(out, "consumption while purging : alone", kept, KEPT);
    line(
        out,
        "rows purged : messages that came, at the same time",
        Spread.of(
            of(PurgeArm.BOTH).stream()
                .map(sample -> sample.purged().perSecond() / sample.messagesPerSecond())
                .toList()),
        1);
    line(out, "deadlocks", deadlocks, "0", deadlocks == 0);
    line(out, "inbox before, bytes", before.total(), "", true);
    line(out, "inbox after, bytes", after.total(), "", true);
    line(out, "deleted rows that the server kept, at the end", dead, "", true);
    line(out, "the same after %d s".formatted(waited.toSeconds()), deadLater, "", true);
    out.flush();
  }

  private Spread ratio() {
    List<Double> ratios =
        of(PurgeArm.BOTH).stream()
            .map(
                both ->
                    both.messagesPerSecond()
                        / of(PurgeArm.CONSUMPTION).stream()
                            .filter(alone -> alone.round() == both.round())
                            .findFirst()
                            .orElseThrow()
                            .messagesPerSecond())
            .toList();
    return Spread.of(ratios);
  }

  private static void line(PrintWriter out, String what, Spread found, double reach) {
    out.printf(
        "| %-56s | %13.2f | %-13s | %8s | %-7s |%n",
        what,
        found.median(),
        "%.2f – %.2f".formatted(found.min(), found.max()),
        reach,
        found.median() >= reach ? "yes" : "no");
  }

  private static void line(
      PrintWriter out, String what, long found, String reach, boolean reached) {
    out.printf(
        "| %-56s | %,13d | %-13s | %8s | %-7s |%n",
        what, found, "", reach, reach.isEmpty() ? "" : reached ? "yes" : "no");
  }

  private static String ends(Spread spread) {
    return "%,.0f – %,.0f".formatted(spread.min(), spread.max());
  }

  private Spread spread(PurgeArm arm, ToDoubleFunction<PurgeSample> value) {
    return Spread.of(of(arm).stream().mapToDouble(value).boxed().toList());
  }

  private List<PurgeSample> of(PurgeArm arm) {
    return samples.stream().filter(sample -> sample.arm() == arm).toList();
  }
}
