package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.testkit.database.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the module's jar in processes of its own, which write nothing to their user's home. */
final class Jar {
  private static final String JAR = System.getProperty("txbox.cli-jar");

  private final Path folder;
  private final TestDatabase database;

  Jar(Path folder, TestDatabase database) {
    this.folder = folder;
    this.database = database;
  }

  record Ended(int code, String output) {}

  Ended run(String line) throws Exception {
    return start(line.trim().split(" ")).end();
  }

  Ended runOn(String url, String line) throws Exception {
    return startOn(url, line.trim().split(" ")).end();
  }

  Started start(String... arguments) throws IOException {
    return startOn(database.jdbcUrl(), arguments);
  }

  Started startOn(String url, String... arguments) throws IOException {
    Path home = Files.createTempDirectory(folder, "home");
    Path output = Files.createTempFile(folder, "output", "");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Duser.home=" + home));
    command.addAll(List.of("-jar", JAR));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--url", url, "--user", database.user()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("TXBOX_DB_PASSWORD", database.password());
    return new Started(builder.start(), home, output);
  }

  record Started(Process process, Path home, Path printed) {
    String output() {
      try {
        return Files.readString(printed);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void terminate() {
      process.destroy();
    }

    Ended end() throws InterruptedException, IOException {
      try {
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("ends: " + output()).isTrue();
        try (var files = Files.list(home)) {
          assertThat(files).as("what it wrote to the user's home").isEmpty();
        }
        return new Ended(process.exitValue(), output());
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
