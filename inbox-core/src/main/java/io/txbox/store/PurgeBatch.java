package io.txbox.store;

import java.time.Instant;

/**
 * Names rows that may go.
 *
 * @param scopeId the id of their consumer group and scope
 * @param state their state; never {@link RowState#PARKED}
 * @param from only what was processed then or later: what another batch has been through need not
 *     be read again
 * @param before only what was processed before this
 * @param limit at most so many
 */
public record PurgeBatch(short scopeId, RowState state, Instant from, Instant before, int limit) {
  /** Before all rows. */
  public static final Instant FROM_THE_FIRST = Instant.ofEpochMilli(Long.MIN_VALUE);

  /**
   * Makes a batch.
   *
   * @throws IllegalArgumentException if it is of parked rows, or of none
   */
  public PurgeBatch {
    if (state == RowState.PARKED) {
      throw new IllegalArgumentException("Parked rows are never purged");
    }
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but was " + limit);
    }
  }
}
