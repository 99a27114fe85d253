package io.txbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that is too short to mean anything, from the command line to the files. */
class BenchIT {
  @ParameterizedTest
  @CsvSource({"postgres, PostgreSQL 17", "mariadb, MariaDB 11.4"})
  void measuresArmsInTurnAndWritesWhatItFound(String database, String server, @TempDir Path folder)
      throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int exit =
        Bench.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            "--database=" + database,
            "--arms=plain,plain-lanes,inbox,inbox-batch,status-table,duplicates",
            "--cost=statements",
            "--messages=400",
            "--rounds=1",
            "--warm-up=0",
            "--output=" + folder.resolve("found.csv"));

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    assertThat(out.toString())
        .startsWith(server)
        .containsPattern("\\| plain +\\| statements +\\| +100 \\|")
        .containsPattern("\\| inbox with lanes : no dedup, one transaction per message +\\| +\\d")
        .containsPattern("\\| connections used by the lanes +\\| +[1-8] \\|");
    assertThat(Files.readAllLines(folder.resolve("found.csv")))
        .hasSize(1 + 6)
        .filteredOn(line -> line.startsWith("1,inbox,statements,400,"))
        .hasSize(1);
    // Text is drawn as outlines; a bar is what has the bars' colour.
    assertThat(Files.readAllLines(folder.resolve("found.svg")))
        .filteredOn(line -> line.contains("fill:rgb(43,108,176)"))
        .hasSize(6);
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "mariadb"})
  void measuresAPurgeBesideAConsumer(String database) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int exit =
        Bench.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            "--database=" + database,
            "--purge",
            "--rows=20000",
            "--purge-rows=15000",
            "--messages=400",
            "--rounds=1",
            "--warm-up=0",
            "--key-length=36");

    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    assertThat(out.toString())
        .contains("20,000 rows, of which 15,000 may go, keys of 36 characters")
        .containsPattern("\\| consumption while purging : alone +\\| +\\d")
        // On a slow machine, one arm before it may have purged all.
        .containsPattern("purge alone +0 msg/s +([1-9]\\S* rows/s|0 rows/s, all of them gone)")
        .containsPattern("\\| deadlocks +\\| +0 \\|");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres", "mariadb"})
  void measuresWhatARowTakes(String database) {
    StringWriter out = new StringWriter();

    int exit =
        Bench.run(
            new PrintWriter(out, true),
            new PrintWriter(new StringWriter()),
            "--database=" + database,
            "--capacity",
            "--rows=20000");

    assertThat(exit).isZero();
    assertThat(out.toString())
        .containsPattern("\\|  36 characters \\| +[1-3]\\d\\d \\|")
        .containsPattern("\\| 128 characters \\| +[1-9]\\d\\d \\|");
  }
}
