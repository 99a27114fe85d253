package io.txbox.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Fails a test that leaves something behind: live threads, or whatever else it is given a finder
 * for. What is still on its way out gets some time.
 *
 * <pre>{@code
 * @AfterEach void leavesNothing() {
 *   LeakCheck.create().threads("payments-").finder(database::borrowed).verify();
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class LeakCheck {

  private final Set<String> prefixes = new LinkedHashSet<>();
  private final List<Supplier<List<String>>> finders = new ArrayList<>();
  private Duration patience = Duration.ofSeconds(5);

  private LeakCheck() {}

  /** Returns a check that looks for nothing yet. */
  public static LeakCheck create() {
    return new LeakCheck();
  }

  /** Looks for live threads whose names begin so. */
  public LeakCheck threads(String... namePrefixes) {
    prefixes.addAll(Arrays.asList(namePrefixes));
    return this;
  }

  /** Looks for what this describes, each leak as a text; none means that there is none. */
  public LeakCheck finder(Supplier<List<String>> finder) {
    finders.add(finder);
    return this;
  }

  /** Waits so long for what is on its way out. 5 s by default. */
  public LeakCheck patience(Duration time) {
    patience = time;
    return this;
  }

  /**
   * Returns once nothing is left.
   *
   * @throws AssertionError that lists what is left, threads with their stack traces
   */
  public void verify() {
    try {
      Awaitility.await()
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(20))
          .atMost(patience)
          .until(() -> leaks().isEmpty());
    } catch (ConditionTimeoutException e) {
      List<String> leaks = leaks();
      if (!leaks.isEmpty()) {
        throw new AssertionError(
            "Left behind after %s:%n%s".formatted(patience, String.join("\n", leaks)));
      }
    }
  }

  private List<String> leaks() {
    List<String> leaks = new ArrayList<>();
    Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> prefixes.stream().anyMatch(thread.getKey().getName()::startsWith))
        .map(LeakCheck::describe)
        .forEach(leaks::add);
    finders.forEach(finder -> leaks.addAll(finder.get()));
    return leaks;
  }

  private static String describe(Map.Entry<Thread, StackTraceElement[]> thread) {
    String stack =
        Arrays.stream(thread.getValue())
            .map(frame -> "\n    at " + frame)
            .collect(Collectors.joining());
    return "thread %s (%s)%s"
        .formatted(thread.getKey().getName(), thread.getKey().getState(), stack);
  }
}
