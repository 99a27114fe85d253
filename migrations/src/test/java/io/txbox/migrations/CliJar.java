package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the jar with the classifier cli in processes of its own. */
record CliJar(String password) {
  private static final String JAR = System.getProperty("txbox.cli-jar");

  Process start(Path output, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", JAR));
    command.addAll(arguments);
    return start(output, command.toArray(String[]::new));
  }

  /** Runs a command that a message names. */
  Process shell(Path output, String command) throws IOException {
    return start(output, "sh", "-c", command);
  }

  private Process start(Path output, String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("TXBOX_DB_PASSWORD", password);
    return builder.start();
  }

  static int exitOf(Process process) throws InterruptedException {
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended within a minute").isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
