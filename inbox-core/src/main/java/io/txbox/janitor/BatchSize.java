package io.txbox.janitor;

import java.time.Duration;

/**
 * Says how many rows one transaction of the janitor deletes: fewer after a slow one, more again
 * after quick ones; and how long to rest before the next one. Not thread-safe.
 */
final class BatchSize {
  static final int LEAST = 50;
  static final int MOST = 5_000;

  /** Locks are held for about as long. */
  private static final Duration SLOW = Duration.ofMillis(100);

  private static final Duration QUICK = Duration.ofMillis(50);

  /**
   * So many times as long as a batch takes, while that suffices: the purge gets a tenth of one
   * connection's time, and leaves the rest of the database to the consumers.
   */
  private static final int MOST_REST = 9;

  private static final Duration LONGEST_REST = Duration.ofSeconds(1);

  private int rows = 500;
  private int most = MOST;
  private Duration rest = Duration.ZERO;
  private int restFactor = MOST_REST;
  private Duration behind = Duration.ZERO;

  int rows() {
    return rows;
  }

  /** Returns how long to rest after the last batch, if another one follows. */
  Duration rest() {
    return rest;
  }

  /** Learns how long a batch of this size took. */
  void took(Duration elapsed) {
    Duration wanted = elapsed.multipliedBy(restFactor);
    rest = wanted.compareTo(LONGEST_REST) < 0 ? wanted : LONGEST_REST;
    if (elapsed.compareTo(SLOW) > 0) {
      rows = Math.max(LEAST, rows / 2);
    } else if (elapsed.compareTo(QUICK) < 0) {
      most = Math.min(MOST, rows < most ? most : most + most / 100 + 1);
      rows = Math.min(most, rows + rows / 2);
    }
  }

  /** Learns that a batch of this size failed: it may have taken too long. It grows slowly then. */
  void failed() {
    rows = Math.max(LEAST, rows / 2);
    most = rows;
  }

  /**
   * Learns how far, in event time, a pass stayed behind what may go: what falls behind further
   * rests less, and in the end not at all.
   */
  void staysBehind(Duration behind) {
    boolean further = behind.compareTo(this.behind) > 0;
    restFactor = further ? restFactor / 2 : Math.min(MOST_REST, restFactor + 1);
    this.behind = behind;
  }
}
