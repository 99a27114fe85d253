package io.txbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is too short to mean anything, from the command line to the files. */
class BenchIT {
  @Test
  void measuresArmsInTurnAndWritesWhatItFound(@TempDir Path folder) throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int exit =
        Bench.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            "--arms=plain,inbox,duplicates",
            "--cost=statements",
            "--messages=400",
            "--rounds=1",
            "--warm-up=0",
            "--output=" + folder.resolve("found.csv"));

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    assertThat(out.toString())
        .containsPattern("\\| plain +\\| statements +\\| +100 \\|")
        .containsPattern("\\| inbox with lanes : no dedup, one transaction per message +\\| +\\d")
        .containsPattern("\\| connections used by the lanes +\\| +[1-8] \\|");
    assertThat(Files.readAllLines(folder.resolve("found.csv")))
        .hasSize(1 + 3)
        .filteredOn(line -> line.startsWith("1,inbox,statements,400,"))
        .hasSize(1);
    // Text is drawn as outlines; a bar is what has the bars' colour.
    assertThat(Files.readAllLines(folder.resolve("found.svg")))
        .filteredOn(line -> line.contains("fill:rgb(43,108,176)"))
        .hasSize(3);
  }
}
