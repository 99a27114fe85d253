package io.txbox.internal.lane;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Knows whether anything can be done at present. While it cannot, that is probed by one lane at a
 * time, after pauses that grow until work has succeeded again. Not thread-safe.
 */
final class Outage {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private boolean on;
  private boolean probing;
  private long pause;
  private long since;
  private long nextProbe;

  boolean isOn() {
    return on;
  }

  /** Begins a probe, if it is time for one and nobody else is at it. */
  boolean beginProbe(long now) {
    if (probing || nextProbe - now > 0) {
      return false;
    }
    probing = true;
    return true;
  }

  /** Says whether a probe is going on, which wakes the lanes when it succeeds. */
  boolean isProbing() {
    return probing;
  }

  long nextProbe() {
    return nextProbe;
  }

  /**
   * Learns from a batch.
   *
   * @return whether an outage has begun with it
   */
  boolean learn(BatchResult<?> result, long now) {
    if (on) {
      return false; // It was begun before, and says nothing of now.
    }
    if (result.outage().isEmpty()) {
      pause = 0;
      return false;
    }
    on = true;
    since = now;
    rest(now);
    return true;
  }

  /** Learns from a probe. */
  void probed(boolean possible, long now) {
    probing = false;
    on = !possible;
    if (on) {
      rest(now);
    }
  }

  /** Returns for how long the last outage has been on. */
  Duration age(long now) {
    return Duration.ofNanos(now - since);
  }

  private void rest(long now) {
    pause = pause == 0 ? FIRST_PAUSE.toNanos() : Math.min(LONGEST_PAUSE.toNanos(), 2 * pause);
    nextProbe = now + pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2);
  }
}
