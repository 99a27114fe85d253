package io.txbox.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Says up to when the rows of a scope may be gone, or soon will be (invariant PURGE-SAFE).
 *
 * <p>A row is purged only if it is of before the horizon. The times of two copies of one message
 * are at most the margin apart, so a message that has no row, and is of the horizon plus the margin
 * or later, cannot be a copy of one whose row was purged.
 *
 * @param announced the horizon; empty if nothing was purged ever
 * @param margin the most that the times of two copies may be apart
 */
public record Horizon(Optional<Instant> announced, Duration margin) {
  /**
   * How old a copy of the horizon may be that is relied upon. A horizon is announced for twice as
   * long before rows are purged by it, so that by then no copy is in use that does not know it.
   */
  public static final Duration MAX_AGE = Duration.ofSeconds(5);

  /** Returns the time from which on a message without a row is new; nothing is late if empty. */
  public Optional<Instant> lateBefore() {
    return announced.map(horizon -> horizon.plus(margin));
  }

  /** Says whether a message of this time, which has no row, may be a copy of one that had. */
  public boolean isLate(Instant messageTime) {
    return lateBefore().filter(messageTime::isBefore).isPresent();
  }
}
