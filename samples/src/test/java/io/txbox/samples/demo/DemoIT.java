package io.txbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.testkit.Excuse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the demo as its script does, in a small size. */
class DemoIT {
  private static final Duration SOON = Duration.ofMinutes(3);

  private static final List<Process> STARTED = new CopyOnWriteArrayList<>();
  private static Path folder;
  private static Running right;
  private static Running naive;
  private static final List<Running> OTHERS = new ArrayList<>();

  @BeforeAll
  static void runBoth(@TempDir Path temporary) throws IOException {
    folder = temporary;
    right = Running.start("right", "--seed", "7", "--payments", "40");
    naive = Running.start("naive", "--seed", "7", "--payments", "40", "--naive");
  }

  /**
   * Returns those on MariaDB and MySQL. Two run at a time: four are too many for two processors.
   */
  private static List<Running> others() throws Exception {
    if (OTHERS.isEmpty()) {
      right.exitCode();
      naive.exitCode();
      for (String database : List.of("mariadb", "mysql")) {
        OTHERS.add(
            Running.start(database, "--seed", "7", "--payments", "40", "--database", database));
      }
    }
    return OTHERS;
  }

  @AfterAll
  static void endAll() {
    STARTED.forEach(process -> process.destroyForcibly().onExit().join());
  }

  @Test
  void everyEffectIsExactlyOnceWithTxbox() throws Exception {
    assertThat(right.exitCode()).as(right::output).isZero();
    assertThat(right.lastLine()).startsWith("EXACTLY ONCE: 128 business ids, ");
    right.assertLeftNothing();
  }

  @Test
  void everyEffectIsExactlyOnceOnMariaDb() throws Exception {
    Running mariaDb = others().get(0);
    assertThat(mariaDb.exitCode()).as(mariaDb::output).isZero();
    assertThat(mariaDb.output()).contains("MariaDB 11.4", "has innodb_flush_log_at_trx_commit 1");
    assertThat(mariaDb.lastLine()).startsWith("EXACTLY ONCE: 128 business ids, ");
    mariaDb.assertLeftNothing();
  }

  @Test
  void everyEffectIsExactlyOnceOnMySql() throws Exception {
    Running mySql = others().get(1);
    if (mySql.exitCode() == 2) {
      throw Excuse.orFail("mysql", mySql.output());
    }
    assertThat(mySql.exitCode()).as(mySql::output).isZero();
    assertThat(mySql.output()).contains("MySQL ", "has innodb_flush_log_at_trx_commit 1");
    assertThat(mySql.lastLine()).startsWith("EXACTLY ONCE: 128 business ids, ");
    mySql.assertLeftNothing();
    assertThat(databasesOf(mySql)).isEmpty();
  }

  /** Returns the database that this run said is its own, if it is still on the server. */
  private static List<String> databasesOf(Running run) throws SQLException {
    Matcher name = Pattern.compile("the database is (\\w+)").matcher(run.output());
    assertThat(name.find()).isTrue();
    List<String> found = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(System.getenv("TXBOX_MYSQL_URL"));
        PreparedStatement query =
            connection.prepareStatement(
                "select schema_name from information_schema.schemata where schema_name = ?")) {
      query.setString(1, name.group(1));
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
    }
    return found;
  }

  @Test
  void moneyGoesWrongWithAPlainListener() throws Exception {
    assertThat(naive.exitCode()).as(naive::output).isEqualTo(1);
    assertThat(naive.lastLine()).startsWith("WRONG: ").contains("payments doubled (+");
    naive.assertLeftNothing();
  }

  @Test
  void leavesNothingWhenItIsTerminatedOrKilled() throws Exception {
    for (Running other : others()) {
      other.exitCode();
    }
    Running terminated = Running.start("terminated");
    Running killed = Running.start("killed");
    CompletableFuture<Void> kill =
        CompletableFuture.runAsync(
            () -> {
              killed.awaitOutput("The sender begins");
              killed.process().destroyForcibly();
            });
    terminated.awaitOutput("The sender begins");
    terminated.process().destroy();
    kill.join();

    assertThat(terminated.exitCode()).isEqualTo(143);
    terminated.assertLeftNothing();
    assertThat(killed.exitCode()).isEqualTo(137);
    await().atMost(SOON).untilAsserted(killed::assertLeftNothing);
  }

  @Test
  void saysNothingOfBrokenConnectionsOnCtrlC() throws Exception {
    Running interrupted = Running.start("interrupted");
    interrupted.awaitOutput("The sender begins");
    // A terminal tells all processes.
    interrupted.process().descendants().forEach(ProcessHandle::destroy);
    interrupted.process().destroy();

    assertThat(interrupted.exitCode()).isEqualTo(143);
    assertThat(interrupted.lastLine()).endsWith("Stops, and cleans up");
    await().atMost(SOON).untilAsserted(interrupted::assertLeftNothing);
  }

  @Test
  void stopsWhileItStarts() throws Exception {
    Running early = Running.start("early");
    await().atMost(SOON).until(() -> early.children().size() >= 2);
    early.process().destroy();

    assertThat(early.exitCode()).isEqualTo(143);
    assertThat(early.output()).doesNotContain("The sender begins", "Exception");
    await().atMost(SOON).untilAsserted(early::assertLeftNothing);
  }

  @Test
  void refusesWhatItDoesNotKnow() throws Exception {
    assertRefused("--payments must be from 30 to 2000, but was 3", "--payments", "3");
    assertRefused("--naive must be 'message-id' or 'none', but was 'redis'", "--naive", "redis");
    assertRefused(
        "--database must be 'postgres', 'mysql' or 'mariadb', but was 'oracle'",
        "--database",
        "oracle");
    assertRefused("Invalid value for option '--seed': 'x' is not a long", "--seed", "x");
    assertRefused("Unknown option: '--fast'", "--fast");
  }

  private static void assertRefused(String why, String... arguments) throws Exception {
    Running refused = Running.start("refused", arguments);
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.output()).contains(why, "./demo --help says what it takes.");
  }

  /** The demo in its process, with a folder for temporary files and a home of its own. */
  private record Running(Process process, Path home, Path temporary, Path log) {

    static Running start(String name, String... arguments) throws IOException {
      Path home = Files.createTempDirectory(folder, name + "-home");
      Path temporary = Files.createTempDirectory(folder, name + "-tmp");
      Path log = Files.createTempFile(folder, name, ".log");
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-Duser.home=" + home);
      command.add("-Djava.io.tmpdir=" + temporary);
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Demo.class.getName()));
      command.addAll(List.of(arguments));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      STARTED.add(process);
      return new Running(process, home, temporary, log);
    }

    int exitCode() throws InterruptedException {
      assertThat(process.waitFor(4, TimeUnit.MINUTES)).as(this::output).isTrue();
      return process.exitValue();
    }

    void awaitOutput(String text) {
      await().atMost(SOON).until(() -> output().contains(text));
      assertThat(children()).hasSizeGreaterThan(4);
    }

    void assertLeftNothing() throws IOException {
      try (Stream<Path> files = Files.list(temporary)) {
        assertThat(files).isEmpty();
      }
      try (Stream<Path> files = Files.list(home)) {
        assertThat(files).isEmpty();
      }
      assertThat(children()).isEmpty();
    }

    /** Returns who was told our folder: child JVMs are, and database servers. */
    private List<ProcessHandle> children() {
      return ProcessHandle.allProcesses()
          .filter(other -> !other.equals(process.toHandle()))
          .filter(other -> other.info().commandLine().orElse("").contains(temporary + "/"))
          .toList();
    }

    String lastLine() throws IOException {
      List<String> lines = Files.readAllLines(log);
      return lines.get(lines.size() - 1);
    }

    String output() {
      try {
        return Files.readString(log);
      } catch (IOException e) {
        return "no output: " + e;
      }
    }
  }
}
