package io.txbox.benchmarks;

import java.time.Duration;
import java.time.Instant;

/**
 * The time that a janitor goes by, which stands still while it is not to purge: nothing falls
 * behind then. While it runs, event time goes by faster or slower, up to an end. Thread-safe.
 */
final class EventTime {
  private final Instant end;
  private Instant reached;
  private double speed;
  private long nanos;
  private long runsSince;
  private boolean runs;

  /** Stands still at a time, and will never be later than another. */
  EventTime(Instant begin, Instant end) {
    this.reached = begin;
    this.end = end;
  }

  /** Runs from now on, so many times as fast as the time of day; 0 if event time is not to. */
  synchronized void run(double speed) {
    hold();
    this.speed = speed;
    runsSince = System.nanoTime();
    runs = true;
  }

  /** Stands still from now on. */
  synchronized void hold() {
    if (runs) {
      reached = instant();
      nanos = nanos();
      runs = false;
    }
  }

  /** Goes to the end. */
  synchronized void toEnd() {
    hold();
    reached = end;
  }

  synchronized Instant instant() {
    Instant time = reached.plus(Duration.ofNanos((long) (running() * speed)));
    return time.isBefore(end) ? time : end;
  }

  /** Says for how long it has run. */
  synchronized long nanos() {
    return nanos + running();
  }

  private long running() {
    return runs ? System.nanoTime() - runsSince : 0;
  }
}
