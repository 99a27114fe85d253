package io.txbox.rocketmq;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a broker's answer says of its clock: when it started, and for how many whole seconds it has
 * run since. Brokers say no more of it.
 *
 * @param second the beginning of the second in which it answered, by its clock
 */
record BrokerClock(Instant second) {
  private static final Pattern RUNTIME =
      Pattern.compile("\\[ (\\S+) days, (\\d+) hours, (\\d+) minutes, (\\d+) seconds ]");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  /** Reads the answer; empty if it cannot be read. */
  static Optional<BrokerClock> of(Map<String, String> runtime) {
    String start = runtime.getOrDefault("bootTimestamp", "");
    Matcher since = RUNTIME.matcher(runtime.getOrDefault("runtime", ""));
    if (!since.matches() || !NUMBER.matcher(start).matches()) {
      return Optional.empty();
    }
    // From 1,000 days on with a separator, which depends on the broker's language.
    String days = since.group(1).replaceAll("\\D", "");
    if (!NUMBER.matcher(days).matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new BrokerClock(
            Instant.ofEpochMilli(Long.parseLong(start))
                .plus(Duration.ofDays(Long.parseLong(days)))
                .plus(Duration.ofHours(Long.parseLong(since.group(2))))
                .plus(Duration.ofMinutes(Long.parseLong(since.group(3))))
                .plus(Duration.ofSeconds(Long.parseLong(since.group(4))))));
  }

  /**
   * Returns the broker's clock minus ours: the smallest difference that agrees with the answer, so
   * that none is shown where there may be none.
   *
   * @param asked when it was asked, by our clock
   * @param answered when it had answered
   */
  Duration skew(Instant asked, Instant answered) {
    Duration least = Duration.between(answered, second);
    Duration most = Duration.between(asked, second.plusSeconds(1));
    if (!least.isNegative()) {
      return least;
    }
    return most.isNegative() ? most : Duration.ZERO;
  }
}
