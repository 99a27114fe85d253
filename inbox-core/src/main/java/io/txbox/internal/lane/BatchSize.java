package io.txbox.internal.lane;

import java.time.Duration;

/**
 * Finds how many jobs of a kind go into a batch, and how many lanes work on them: trouble halves
 * the batch and success grows it back; a slow handler gets small batches and more lanes.
 *
 * <p>Not thread-safe.
 */
final class BatchSize {
  /** A handler that takes longer than this waits, for its database or others: more lanes help. */
  private static final double NANOS_FOR_A_LANE = 250_000;

  private static final int FEW_LANES = 2;
  private static final double NEWEST = 0.2;

  private final int max;
  private final double budgetNanos;
  private double nanosEach;
  private int limit;

  BatchSize(int max, Duration budget) {
    this.max = max;
    this.budgetNanos = budget.toNanos();
    this.limit = max;
  }

  /** Returns how many jobs the next batch may have. */
  int next() {
    double inTime = nanosEach > 0 ? budgetNanos / nanosEach : max;
    return Math.max(1, (int) Math.min(limit, inTime));
  }

  /** Returns how many lanes may work on jobs of this kind. */
  int lanes() {
    if (max == 1) {
      return Integer.MAX_VALUE; // Fewer lanes would make no larger batches.
    }
    return Math.max(FEW_LANES, (int) Math.ceil(nanosEach / NANOS_FOR_A_LANE));
  }

  /** Learns from a batch. */
  void learn(BatchResult<?> result) {
    if (result.trouble()) {
      limit = Math.max(1, limit / 2);
    } else {
      limit = Math.min(max, limit + Math.max(1, limit / 4));
    }
    if (result.ran() > 0) {
      double each = (double) result.elapsed().toNanos() / result.ran();
      nanosEach = nanosEach == 0 ? each : nanosEach + NEWEST * (each - nanosEach);
    }
  }
}
