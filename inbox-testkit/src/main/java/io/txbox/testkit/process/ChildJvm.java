package io.txbox.testkit.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own on the class path of this one, to be given orders and to be killed (SIGKILL).
 *
 * <p>Its main class finds in {@link Parent} where orders come from and answers go, and that the
 * parent is dead. What it prints lies in the file {@code log} of its folder. For one thread, except
 * {@link #nextAnswer()}.
 */
public final class ChildJvm {

  private static final long ANSWER_DEADLINE_S = 60;

  private final Process process;
  private final BufferedWriter orders;
  private final BufferedReader answers;
  private final Path log;

  private ChildJvm(Process process, Path log) {
    this.process = process;
    this.orders = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.log = log;
  }

  /**
   * Starts a JVM.
   *
   * @param folder for its log and its temporary files, which a killed JVM does not delete
   * @param options for the JVM
   * @param main whose {@code main} runs
   * @param arguments for it
   */
  public static ChildJvm start(
      Path folder, List<String> options, Class<?> main, String... arguments) {
    List<String> all = new ArrayList<>();
    // It lives for seconds: what costs time at the start is not worth it.
    all.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // Its file lies outside of any folder of ours, and a killed JVM does not delete it.
    all.add("-XX:-UsePerfData");
    // A quarter of a broker's start went into checking the byte code of 4,000 classes.
    all.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    all.add("-Djava.io.tmpdir=" + folder);
    all.addAll(options);
    all.addAll(List.of("-cp", classPath(), main.getName()));
    all.addAll(List.of(arguments));
    Path log = folder.resolve("log");
    try {
      // In a file, since a class path may be longer than a command line may be.
      Path file =
          Files.write(folder.resolve("arguments"), all.stream().map(ChildJvm::quoted).toList());
      Process process =
          new ProcessBuilder(java(), "@" + file)
              .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      return new ChildJvm(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException("No child JVM for " + main.getName(), e);
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
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

  /** Returns the process, for tests that stop and continue it. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Gives an order, of one line. */
  public void order(String line) {
    try {
      orders.write(line);
      orders.newLine();
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("The child JVM does not run:\n" + log(), e);
    }
  }

  /**
   * Waits for this answer.
   *
   * @throws IllegalStateException if it answers something else, or nothing within 60 s, or is dead,
   *     with its log; it is killed then
   */
  public void await(String expected) {
    String answer = answer();
    if (!expected.equals(answer)) {
      kill();
      throw new IllegalStateException(
          "The child JVM answers " + answer + " instead of " + expected + ":\n" + log());
    }
  }

  /**
   * Waits for an answer.
   *
   * @throws IllegalStateException if there is none within 60 s, or it is dead, with its log; it is
   *     killed then
   */
  public String answer() {
    String answer =
        CompletableFuture.supplyAsync(this::nextAnswer)
            .completeOnTimeout(null, ANSWER_DEADLINE_S, TimeUnit.SECONDS)
            .join();
    if (answer == null) {
      kill();
      throw new IllegalStateException("The child JVM does not answer:\n" + log());
    }
    return answer;
  }

  /**
   * Waits for the next answer for as long as it takes; there is none, and never will be, once the
   * child is dead. For a thread that does nothing but read answers, beside the one that gives
   * orders.
   */
  public @Nullable String nextAnswer() {
    try {
      return answers.readLine();
    } catch (IOException e) {
      // It was killed meanwhile, which closes the stream.
      return null;
    }
  }

  /**
   * Gives no more orders, which is to the child as if its parent had died, and waits until it has
   * ended; it is killed if it has not within 60 s. Does nothing if it is gone.
   */
  public void end() {
    try {
      orders.close();
    } catch (IOException e) {
      // It is dead already.
    }
    process
        .onExit()
        .completeOnTimeout(process, ANSWER_DEADLINE_S, TimeUnit.SECONDS)
        .thenRun(this::kill)
        .join();
  }

  /** Kills it (SIGKILL) and waits until it is gone. Does nothing if it is gone. */
  public void kill() {
    process.destroyForcibly().onExit().orTimeout(ANSWER_DEADLINE_S, TimeUnit.SECONDS).join();
  }

  /** Returns what it has printed so far. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "no log: " + e;
    }
  }
}
