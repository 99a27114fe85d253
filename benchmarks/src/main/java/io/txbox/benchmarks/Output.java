package io.txbox.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where results are written.
 *
 * @param csv the file with each sample; the chart lies beside it
 */
record Output(Path csv) {
  private static final String ENDING = ".csv";

  /**
   * Checks, before anything is measured, that it can be written.
   *
   * @throws IllegalArgumentException if not
   */
  static Output to(Path csv) {
    Path folder = csv.toAbsolutePath().getParent();
    if (!csv.toString().endsWith(ENDING)) {
      throw new IllegalArgumentException(
          "must end with .csv (the chart goes beside it, as .svg), but was '" + csv + "'");
    }
    if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new IllegalArgumentException("cannot be written: there is no folder " + folder);
    }
    return new Output(csv);
  }

  Path svg() {
    String name = csv.toString();
    return Path.of(name.substring(0, name.length() - ENDING.length()) + ".svg");
  }

  void write(String database, Results results) throws IOException {
    Stream<String> header =
        Stream.of("round,arm,cost,messages,seconds,per_second,connections,transactions,again");
    Stream<String> lines = results.samples().stream().map(Output::line);
    Files.write(csv, Stream.concat(header, lines).toList());
    Chart.write(database, results, svg());
  }

  private static String line(Sample sample) {
    return String.format(
        Locale.ROOT,
        "%d,%s,%s,%d,%.3f,%.0f,%d,%d,%d",
        sample.round(),
        sample.measured().arm().label(),
        sample.measured().cost().label(),
        sample.messages(),
        sample.elapsed().toNanos() / 1e9,
        sample.perSecond(),
        sample.connections(),
        sample.transactions(),
        sample.again());
  }
}
