package io.txbox.testkit.broker;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A child JVM that runs {@link BrokerMain}. */
final class BrokerProcess {

  private static final long ANSWER_DEADLINE_S = 60;

  private final Process process;
  private final BufferedWriter orders;
  private final BufferedReader answers;
  private final Path log;

  private BrokerProcess(Process process, Path log) {
    this.process = process;
    this.orders = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.log = log;
  }

  /** Starts a child JVM, and returns once its broker is ready. */
  static BrokerProcess start(Endpoint endpoint, Path folder, BrokerSettings settings)
      throws IOException {
    Path log = folder.resolve("broker.log");
    Process process =
        new ProcessBuilder(java(), "@" + arguments(endpoint, folder, settings))
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    BrokerProcess started = new BrokerProcess(process, log);
    try {
      started.await(BrokerMain.READY);
      return started;
    } catch (RuntimeException e) {
      started.kill();
      throw e;
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Writes them to a file, since a class path may be longer than a command line may be. */
  private static Path arguments(Endpoint endpoint, Path folder, BrokerSettings settings)
      throws IOException {
    Path settingsFile = folder.resolve("settings.properties");
    Properties properties = new Properties();
    properties.putAll(settings.properties());
    try (Writer writer = Files.newBufferedWriter(settingsFile)) {
      properties.store(writer, null);
    }
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // A quarter of the start went into checking the byte code of 4,000 classes.
    arguments.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    // A killed JVM does not delete its temporary files: RocksDB's library, 12 MB.
    arguments.addAll(List.of("-Duser.home=" + folder, "-Djava.io.tmpdir=" + folder));
    arguments.add("-Drocketmq.log.level=warn");
    arguments.addAll(List.of("-cp", classPath(), BrokerMain.class.getName()));
    arguments.add(String.valueOf(endpoint.nameServerPort()));
    arguments.add(String.valueOf(endpoint.brokerPort()));
    arguments.addAll(List.of(folder.toString(), settingsFile.toString()));
    return Files.write(
        folder.resolve("arguments"), arguments.stream().map(BrokerProcess::quoted).toList());
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String classPath() {
    List<String> paths =
        Stream.of("java.class.path", "jdk.module.path")
            .map(name -> System.getProperty(name, ""))
            .filter(path -> !path.isEmpty())
            .toList();
    return String.join(System.getProperty("path.separator"), paths);
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  void flush() {
    try {
      orders.write(BrokerMain.FLUSH);
      orders.newLine();
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("The broker does not run", e);
    }
    await(BrokerMain.FLUSHED);
  }

  /** Kills it (SIGKILL) and waits until it is gone. Does nothing if it is gone. */
  void kill() {
    process.destroyForcibly().onExit().orTimeout(ANSWER_DEADLINE_S, TimeUnit.SECONDS).join();
  }

  private void await(String expected) {
    String answer =
        CompletableFuture.supplyAsync(this::readLine)
            .completeOnTimeout(null, ANSWER_DEADLINE_S, TimeUnit.SECONDS)
            .join();
    if (!expected.equals(answer)) {
      throw new IllegalStateException(
          "The broker answers " + answer + " instead of " + expected + ":\n" + log());
    }
  }

  private @Nullable String readLine() {
    try {
      return answers.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "no log: " + e;
    }
  }
}
