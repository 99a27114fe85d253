package io.txbox.migrations;

import java.time.Duration;

/** Thrown if another migration held the changelog lock for longer than the lock wait. */
public final class ChangelogLockedException extends MigrationException {

  private final LockHolder holder;

  ChangelogLockedException(String schema, LockHolder holder, Duration waited, String release) {
    super(
        """
        Waited %d s for the changelog lock of schema %s, which %s has held for %d s. If that process still runs, \
        let it end. If it was killed, free the lock with: %s"""
            .formatted(
                waited.toSeconds(), schema, holder.name(), holder.age().toSeconds(), release),
        null);
    this.holder = holder;
  }

  /** Who holds the lock, and for how long. */
  public LockHolder holder() {
    return holder;
  }
}
