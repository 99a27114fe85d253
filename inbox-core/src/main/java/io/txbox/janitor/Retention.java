package io.txbox.janitor;

import io.txbox.internal.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * Says for how long the inbox rows of a consumer group are kept, and what becomes of messages that
 * are so old that their row may have gone. Immutable.
 *
 * <p>A row is purged once the purge clock is further than its message time, and than the time at
 * which it was processed, by the retention. A message that has no row is new if the clock is not
 * further than its time by the retention less the margin; an older one is late.
 */
public final class Retention {
  /** Shorter than what anything but a test could want. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofDays(3650);
  private static final Duration SMALLEST_MARGIN = Duration.ofMillis(1);
  private static final Duration LARGEST_DEFAULT_MARGIN = Duration.ofDays(1);
  private static final int DEFAULT_MARGIN_PART = 7;

  private final Duration duration;
  private final Duration margin;
  private final LatePolicy late;
  private final boolean acceptsShort;
  private final boolean byWallClock;

  private Retention(
      Duration duration,
      Duration margin,
      LatePolicy late,
      boolean acceptsShort,
      boolean byWallClock) {
    this.duration = duration;
    this.margin = margin;
    this.late = late;
    this.acceptsShort = acceptsShort;
    this.byWallClock = byWallClock;
  }

  /**
   * Keeps rows for so many days.
   *
   * @throws IllegalArgumentException if it is below 1 or above 3,650
   */
  public static Retention ofDays(int days) {
    return of(Duration.ofDays(days));
  }

  /**
   * Keeps rows for so long.
   *
   * @throws IllegalArgumentException if it is below a second or above 3,650 days
   */
  public static Retention of(Duration duration) {
    return of(duration, DurationText.of(Objects.requireNonNull(duration, "retention")));
  }

  private static Retention of(Duration duration, String said) {
    if (duration.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException(
          "retention must be at least " + DurationText.of(SHORTEST) + ", but was " + said);
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "retention must be at most " + DurationText.of(LONGEST) + ", but was " + said);
    }
    Duration margin = duration.dividedBy(DEFAULT_MARGIN_PART);
    return new Retention(
        duration,
        margin.compareTo(LARGEST_DEFAULT_MARGIN) < 0 ? margin : LARGEST_DEFAULT_MARGIN,
        LatePolicy.PARK,
        false,
        false);
  }

  /**
   * Reads it from a configuration: numbers with the units d, h, m and s, such as {@code 7d}, {@code
   * 36h} or {@code 1d12h}.
   *
   * @throws IllegalArgumentException if it is anything else, or out of bounds
   */
  public static Retention parse(String text) {
    return of(DurationText.parse("retention", text), "'" + text + "'");
  }

  /**
   * Sets the most that the times of two copies of a message can be apart, in other words for how
   * long after a message a sender may send it again. Default: a seventh of the retention, a day at
   * most.
   *
   * @throws IllegalArgumentException if it is below a millisecond, or not below the retention
   */
  public Retention margin(Duration margin) {
    if (Objects.requireNonNull(margin, "margin").compareTo(SMALLEST_MARGIN) < 0) {
      throw new IllegalArgumentException(
          "margin must be at least "
              + DurationText.of(SMALLEST_MARGIN)
              + ", but was "
              + DurationText.of(margin));
    }
    if (margin.compareTo(duration.minusMillis(1)) > 0) {
      throw new IllegalArgumentException(
          "margin must be less than the retention, "
              + DurationText.of(duration)
              + ", but was "
              + DurationText.of(margin));
    }
    return new Retention(duration, margin, late, acceptsShort, byWallClock);
  }

  /** Sets what becomes of late messages. Default: {@link LatePolicy#PARK}. */
  public Retention late(LatePolicy late) {
    return new Retention(
        duration, margin, Objects.requireNonNull(late, "late"), acceptsShort, byWallClock);
  }

  /**
   * Starts although the brokers can deliver messages for longer than the retention. They are late
   * then, never handled twice.
   */
  public Retention acceptShortRetention() {
    return new Retention(duration, margin, late, true, byWallClock);
  }

  /**
   * Goes by the time of day, for brokers that do not say how far a group has consumed. The
   * guarantee is weaker: no message is handled twice, but what waits on a broker for longer than
   * the retention less the margin, such as after a long downtime, is late when it comes.
   */
  public Retention byWallClock() {
    return new Retention(duration, margin, late, acceptsShort, true);
  }

  /** Returns for how long rows are kept. */
  public Duration duration() {
    return duration;
  }

  /** Returns the most that the times of two copies of a message can be apart. */
  public Duration margin() {
    return margin;
  }

  /** Returns what becomes of late messages. */
  public LatePolicy late() {
    return late;
  }

  /** Says whether a retention that is too short for the brokers is accepted. */
  public boolean acceptsShortRetention() {
    return acceptsShort;
  }

  /** Says whether the purge clock is the time of day. */
  public boolean isByWallClock() {
    return byWallClock;
  }

  @Override
  public String toString() {
    return DurationText.of(duration)
        + " (margin "
        + DurationText.of(margin)
        + ", late: "
        + late
        + ")";
  }
}
