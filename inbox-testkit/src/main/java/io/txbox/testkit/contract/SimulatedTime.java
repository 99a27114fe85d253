package io.txbox.testkit.contract;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock that a test sets forward, so that weeks pass in no time. It begins years ago, so that it
 * stays behind that of the database. Thread-safe.
 */
final class SimulatedTime implements InstantSource {
  private Instant now = Instant.parse("2020-03-01T00:00:00Z");

  @Override
  public synchronized Instant instant() {
    return now;
  }

  /** The same as nanoseconds that have passed. */
  long nanos() {
    return Duration.between(Instant.EPOCH, instant()).toNanos();
  }

  synchronized void advance(Duration time) {
    now = now.plus(time);
  }
}
