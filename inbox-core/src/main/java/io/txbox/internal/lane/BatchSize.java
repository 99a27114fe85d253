package io.txbox.internal.lane;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Finds how many jobs of a kind go into a batch, and how many lanes work on them: trouble halves
 * the batch and success grows it back; a slow handler gets small batches and more lanes.
 *
 * <p>Not thread-safe.
 */
final class BatchSize {
  /** A handler that takes longer than this waits, for its database or others: more lanes help. */
  private static final double NANOS_FOR_A_LANE = 500_000;

  private static final int FEW_LANES = 2;
  private static final double NEWEST = 0.2;

  /** Trouble that leads back to single jobs makes growth rarer and rarer, down to this. */
  private static final int MOST_PATIENCE = 256;

  /** A batch that is out for longer than this hangs, whatever it was expected to take. */
  private static final Duration LONG = Duration.ofSeconds(1);

  private final int max;
  private final double budgetNanos;
  private final long hangsAfter;
  private final List<Long> begun = new ArrayList<>();
  private double nanosEach;
  private int limit;
  private int patience = 1;
  private int successes;

  BatchSize(int max, Duration budget) {
    this.max = max;
    this.budgetNanos = budget.toNanos();
    this.hangsAfter = Math.min(2 * budget.toNanos(), LONG.toNanos());
    this.limit = max;
  }

  /**
   * Returns how many jobs a lane may take now, 0 if enough lanes work on this kind. A lane that
   * hangs is not counted.
   */
  int room(long now) {
    int atWork = 0;
    for (long at : begun) {
      atWork += now - at < hangsAfter ? 1 : 0;
    }
    return atWork < lanes() ? next() : 0;
  }

  /** Returns when the next of the lanes that are out will be taken to hang. */
  OptionalLong nextHanging(long now) {
    return begun.stream().mapToLong(at -> at + hangsAfter).filter(at -> at - now > 0).min();
  }

  /** Notes that a lane has taken a batch. */
  void began(long now) {
    begun.add(now);
  }

  /** Notes that the batch that was taken then has ended, and learns from it. */
  void ended(long began, BatchResult<?> result) {
    begun.remove(Long.valueOf(began));
    learn(result);
  }

  int next() {
    double inTime = nanosEach > 0 ? budgetNanos / nanosEach : max;
    return Math.max(1, (int) Math.min(limit, inTime));
  }

  int lanes() {
    if (max == 1) {
      return Integer.MAX_VALUE; // Fewer lanes would make no larger batches.
    }
    return Math.max(FEW_LANES, (int) Math.ceil(nanosEach / NANOS_FOR_A_LANE));
  }

  void learn(BatchResult<?> result) {
    if (result.trouble()) {
      shrink();
    } else if (++successes >= patience) {
      grow();
    }
    if (result.ran() > 0) {
      double each = (double) result.elapsed().toNanos() / result.ran();
      nanosEach = nanosEach == 0 ? each : nanosEach + NEWEST * (each - nanosEach);
    }
  }

  private void shrink() {
    if (limit > 1) {
      limit /= 2;
      patience = limit > 1 ? 1 : Math.min(MOST_PATIENCE, 2 * patience);
    }
    successes = 0;
  }

  private void grow() {
    limit = Math.min(max, limit + Math.max(1, limit / 4));
    patience = limit > 3 ? 1 : patience; // Up to 3, trouble leads back to single jobs.
    successes = 0;
  }
}
