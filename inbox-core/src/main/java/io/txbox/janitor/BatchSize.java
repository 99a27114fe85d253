package io.txbox.janitor;

import java.time.Duration;

/**
 * Says how many rows one transaction of the janitor deletes: fewer after a slow one, more again
 * after quick ones. Not thread-safe.
 */
final class BatchSize {
  static final int LEAST = 50;
  static final int MOST = 5_000;

  /** Locks are held for about as long. */
  private static final Duration SLOW = Duration.ofMillis(100);

  private static final Duration QUICK = Duration.ofMillis(50);

  private int rows = 500;

  int rows() {
    return rows;
  }

  /** Learns how long a batch of this size took. */
  void took(Duration elapsed) {
    if (elapsed.compareTo(SLOW) > 0) {
      rows = Math.max(LEAST, rows / 2);
    } else if (elapsed.compareTo(QUICK) < 0) {
      rows = Math.min(MOST, rows + rows / 2);
    }
  }
}
