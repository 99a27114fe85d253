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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL of a program that is no test: it is durable, and goes when the program goes. */
class OwnPostgresIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final Path temporary;

  OwnPostgresIT(@TempDir Path temporary) {
    this.temporary = temporary;
  }

  @Test
  void isDurableAndGoneAfterItIsClosed() throws Exception {
    Process program = start();
    try (BufferedReader said = program.inputReader()) {
      int port = Integer.parseInt(said.readLine());
      assertThat(said.readLine()).isEqualTo("on on");
      assertThat(files()).isNotEmpty();

      program.outputWriter().close();

      assertThat(program.onExit().join().exitValue()).isZero();
      assertThat(files()).isEmpty();
      assertNobodyListens(port);
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void isGoneAfterTheProgramWasKilled() throws Exception {
    Process program = start();
    try (BufferedReader said = program.inputReader()) {
      int port = Integer.parseInt(said.readLine());

      program.destroyForcibly().onExit().join();

      await().atMost(SOON).untilAsserted(() -> assertThat(files()).isEmpty());
      assertNobodyListens(port);
    }
  }

  private Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + temporary,
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName())
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

    /** Says the port, and whether fsync and synchronous_commit are on. */
    public static void main(String... arguments) throws IOException {
      try (TestDatabase database = TestDatabase.onOwnPostgres()) {
        System.out.println(database.port());
        System.out.println(show(database, "fsync") + " " + show(database, "synchronous_commit"));
        while (System.in.read() >= 0) {
          // Nothing is obeyed.
        }
      }
    }

    private static String show(TestDatabase database, String setting) {
      return database.dsl().fetchSingle("show " + setting).get(0, String.class);
    }
  }
}
