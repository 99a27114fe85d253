package io.txbox.janitor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds a retention that is shorter than what the brokers can deliver. */
final class RetentionCheck {
  private RetentionCheck() {}

  /**
   * Looks whether a message that a broker may still deliver is never late, and one that it may
   * deliver again still known.
   *
   * <p>By how far a group has consumed, the time that a message waits on a broker does not count,
   * so that storage and delay need not fit one after the other.
   *
   * @return what is wrong, with the sum, if the retention is too short
   */
  static Optional<String> shortfall(String group, Retention retention, BrokerTimes times) {
    List<String> sum = new ArrayList<>();
    Duration needed = Duration.ZERO;
    boolean delayCounts = times.longestDelay().compareTo(times.storage()) > 0;
    if (retention.isByWallClock() || !delayCounts) {
      needed = add(times.storage(), "broker storage", needed, sum);
    }
    if (retention.isByWallClock() || delayCounts) {
      needed = add(times.longestDelay(), "longest delay", needed, sum);
    }
    needed = add(times.retries(), "retries", needed, sum);
    needed = add(retention.margin(), "margin", needed, sum);
    if (retention.duration().compareTo(needed) >= 0 || retention.acceptsShortRetention()) {
      return Optional.empty();
    }
    return Optional.of(
        "retention of consumer group '"
            + group
            + "' is "
            + readable(retention.duration())
            + ", but needs at least "
            + readable(needed)
            + ": "
            + String.join(" + ", sum)
            + ". Messages of before that would be late, and what is delivered again parked. Make it"
            + " longer, or, if that is how it is to be, say acceptShortRetention()");
  }

  private static Duration add(Duration part, String name, Duration to, List<String> sum) {
    if (!part.isZero()) {
      sum.add(readable(part) + " " + name);
    }
    return to.plus(part);
  }

  /** Writes it in days, hours, minutes and seconds. */
  static String readable(Duration duration) {
    List<String> parts = new ArrayList<>();
    add(duration.toDaysPart(), "d", parts);
    add(duration.toHoursPart(), "h", parts);
    add(duration.toMinutesPart(), "min", parts);
    add(duration.toSecondsPart(), "s", parts);
    return parts.isEmpty() ? duration.toMillis() + " ms" : String.join(" ", parts);
  }

  private static void add(long number, String unit, List<String> parts) {
    if (number != 0) {
      parts.add(number + " " + unit);
    }
  }
}
