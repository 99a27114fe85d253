package io.txbox.migrations;

import java.sql.SQLException;
import java.time.Duration;

/** Thrown if another migration held the changelog lock for longer than the lock wait. */
public final class ChangelogLockedException extends MigrationException {

  private final LockHolder holder;

  ChangelogLockedException(Session session, LockHolder holder, Duration waited)
      throws SQLException {
    super(
        """
        Waited %d s for the changelog lock of schema %s, which %s has held for %d s. If that process still runs, \
        let it end. If it was killed, free the lock with: %s
        or from Java: Migrations.builder(dataSource).schema(%s).build().releaseLock()"""
            .formatted(
                waited.toSeconds(),
                session.schema(),
                holder.name(),
                holder.age().toSeconds(),
                Commands.releaseLock(session),
                Commands.javaLiteral(session.schema())),
        null);
    this.holder = holder;
  }

  /** Who holds the lock, and for how long. */
  public LockHolder holder() {
    return holder;
  }
}
