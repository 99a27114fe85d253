package io.txbox.internal.lane;

import io.txbox.internal.Require;
import java.time.Duration;

/**
 * Says how jobs become batches.
 *
 * @param lanes the largest number of lanes, each with a thread and a connection
 * @param maxBatch the largest number of jobs in a batch
 * @param batchTime for how long a batch begins further jobs
 */
public record LaneSettings(int lanes, int maxBatch, Duration batchTime) {
  private static final int MAX_LANES = 1_000;
  private static final int MAX_BATCH = 1_000;

  /** The defaults: up to 8 lanes, with up to 64 jobs in a batch, which it begins within 50 ms. */
  public static final LaneSettings DEFAULTS = new LaneSettings(8, 64, Duration.ofMillis(50));

  /**
   * Checks the settings.
   *
   * @throws IllegalArgumentException if one is out of its bounds
   */
  public LaneSettings {
    Require.between("lanes", 1, MAX_LANES, lanes);
    Require.between("maxBatch", 1, MAX_BATCH, maxBatch);
    Require.between("batchTime", Duration.ofMillis(1), Duration.ofMinutes(1), batchTime);
  }

  /** Returns these settings with another number of lanes. */
  public LaneSettings withLanes(int lanes) {
    return new LaneSettings(lanes, maxBatch, batchTime);
  }

  /** Returns these settings with another largest batch. */
  public LaneSettings withMaxBatch(int maxBatch) {
    return new LaneSettings(lanes, maxBatch, batchTime);
  }

  /** Returns these settings with another time for a batch. */
  public LaneSettings withBatchTime(Duration batchTime) {
    return new LaneSettings(lanes, maxBatch, batchTime);
  }
}
