package io.txbox.testkit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A database of a program that is no test: it is durable, and goes when the program goes. */
class OwnDatabaseIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final Path temporary;

  OwnDatabaseIT(@TempDir Path temporary) {
    this.temporary = temporary;
  }

  @ParameterizedTest
  @CsvSource({"POSTGRES, on", "MARIADB, 1"})
  void isDurableAndGoneAfterItIsClosed(String kind, String syncs) throws Exception {
    Process program = start(kind);
    try (BufferedReader said = program.inputReader()) {
      int port = Integer.parseInt(said.readLine());
      assertThat(said.readLine()).isEqualTo(syncs);
      assertThat(files()).isNotEmpty();

      program.outputWriter().close();

      assertThat(program.onExit().join().exitValue()).isZero();
      assertThat(files()).isEmpty();
      assertNobodyListens(port);
    } finally {
      program.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POSTGRES", "MARIADB"})
  void isGoneAfterTheProgramWasKilled(String kind) throws Exception {
    Process program = start(kind);
    try (BufferedReader said = program.inputReader()) {
      int port = Integer.parseInt(said.readLine());

      program.destroyForcibly().onExit().join();

      await().atMost(SOON).untilAsserted(() -> assertThat(files()).isEmpty());
      assertNobodyListens(port);
    }
  }

  private Process start(String kind) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + temporary,
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            kind)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private String[] files() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.map(Path::toString).toArray(String[]::new);
    }
  }

  private static void assertNobodyListens(int port) {
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
  }

  /** Has a database until its input ends. */
  static final class Program {
    private Program() {}

    /** Takes the kind; says the port, and whether commits are synced. */
    public static void main(String... arguments) throws IOException {
      boolean postgres = arguments[0].equals("POSTGRES");
      try (TestDatabase database =
          postgres ? TestDatabase.onOwnPostgres() : TestDatabase.onOwnMariaDb()) {
        System.out.println(database.port());
        System.out.println(
            ask(
                database,
                postgres
                    ? "select case when current_setting('fsync') = 'on'"
                        + " then current_setting('synchronous_commit') end"
                    : "select @@innodb_flush_log_at_trx_commit"));
        while (System.in.read() >= 0) {
          // Nothing is obeyed.
        }
      }
    }

    private static String ask(TestDatabase database, String sql) {
      return database.dsl().fetchSingle(sql).get(0, String.class);
    }
  }
}
