package io.txbox.cli;

import io.txbox.janitor.PurgePreview;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** Writes a preview as a table, and in words why. */
final class PreviewText {
  private static final List<String> HEADINGS =
      List.of("SCOPE", "GO NOW", "GO SOON", "OLDEST ROW", "PURGED BEFORE", "NEXT HORIZON");

  private PreviewText() {}

  static List<String> lines(PurgePreview preview) {
    List<String> lines = new ArrayList<>();
    lines.add("Lease: " + preview.leaseHolder().map(who -> "held by " + who).orElse("free"));
    for (PurgePreview.Group group : preview.groups()) {
      lines.add(
          "Purge clock: "
              + group
                  .heldBy()
                  .map(why -> "stands still: " + Brokers.withoutLinks(why))
                  .orElseGet(() -> time(group.clock())));
      lines.add("");
      lines.addAll(table(group.scopes()));
      lines.add("");
      group.scopes().forEach(scope -> lines.addAll(words(scope)));
    }
    return lines;
  }

  private static List<String> table(List<PurgePreview.Scope> scopes) {
    List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
    scopes.forEach(
        scope ->
            rows.add(
                List.of(
                    scope.scope(),
                    number(scope.now()),
                    number(scope.soon()),
                    time(scope.oldest()),
                    time(scope.purgeHorizon()),
                    time(scope.nextHorizon()))));
    int[] widths =
        IntStream.range(0, HEADINGS.size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      line.append(row.get(column))
          .append(" ".repeat(widths[column] - row.get(column).length() + 2));
    }
    return line.toString().stripTrailing();
  }

  /** Says of a scope what would go, and why no more does. */
  static List<String> words(PurgePreview.Scope scope) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Scope "
            + scope.scope()
            + ": "
            + scope
                .whyNone()
                .map(why -> "no row could go now: " + Brokers.withoutLinks(why) + ".")
                .orElseGet(
                    () ->
                        rows(scope.now())
                            + " could go now, processed before "
                            + time(scope.purgeHorizon())
                            + "."));
    if (!scope.soon().isNone()) {
      lines.add(
          "  "
              + rows(scope.soon())
              + (scope.now().isNone() ? "" : " more")
              + " could go once the horizon "
              + time(scope.nextHorizon())
              + " has been announced for ten seconds.");
    }
    return lines;
  }

  private static String rows(PurgePreview.Rows rows) {
    return number(rows) + (rows.counted() == 1 ? " row" : " rows");
  }

  private static String number(PurgePreview.Rows rows) {
    return (rows.more() ? "at least " : "") + number(rows.counted());
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String time(Optional<Instant> time) {
    return time.map(instant -> instant.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("none");
  }
}
