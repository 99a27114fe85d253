package io.txbox.janitor;

import java.time.Duration;

/** Tells what a janitor does (invariant COUNTED). */
public sealed interface JanitorEvent {
  /** Returns the consumer group that it is about. */
  String consumerGroup();

  /**
   * Rows of a scope were purged in a pass.
   *
   * @param rows how many, at least one
   * @param moreWait whether the time of the pass did not suffice for all
   */
  record Purged(String consumerGroup, String scope, long rows, Duration elapsed, boolean moreWait)
      implements JanitorEvent {}

  /** The purge clock stands still: nothing more grows old until {@link ClockRuns}. */
  record ClockHeld(String consumerGroup, String reason) implements JanitorEvent {}

  /**
   * The purge clock runs again.
   *
   * @param after for how long it had stood still
   */
  record ClockRuns(String consumerGroup, Duration after) implements JanitorEvent {}
}
