package io.txbox.migrations;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Liquibase's lock row, taken by ourselves: Liquibase's own service waits in whole minutes, prints
 * to the console while it waits, and two of them on an empty schema can delete each other's row.
 * The table is Liquibase's, so that its tools see who holds the lock.
 */
final class ChangelogLock {

  static final String TABLE = "inbox_changelog_lock";
  static final String KEY = "inbox_changelog_lock_pkey";

  private static final Logger LOG = LoggerFactory.getLogger(ChangelogLock.class);
  private static final Duration POLL = Duration.ofMillis(200);

  private static final String CREATE_POSTGRESQL =
      """
      CREATE TABLE IF NOT EXISTS %s (
        id integer NOT NULL, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255),
        CONSTRAINT inbox_changelog_lock_pkey PRIMARY KEY (id))
      """;
  private static final String CREATE_MYSQL =
      """
      CREATE TABLE IF NOT EXISTS %s (
        id int NOT NULL, locked tinyint NOT NULL, lockgranted datetime NULL, lockedby varchar(255) NULL, PRIMARY KEY (id))
        ENGINE=InnoDB
      """;
  private static final String ADD_ROW_POSTGRESQL =
      "INSERT INTO %s (id, locked) VALUES (1, FALSE) ON CONFLICT DO NOTHING";
  private static final String ADD_ROW_MYSQL =
      "INSERT INTO %s (id, locked) VALUES (1, FALSE) ON DUPLICATE KEY UPDATE id = id";

  private static final String TAKE_POSTGRESQL =
      """
      UPDATE %s SET locked = TRUE, lockgranted = now() AT TIME ZONE 'UTC', lockedby = ?
      WHERE id = 1 AND locked = FALSE
      """;
  private static final String TAKE_MYSQL =
      """
      UPDATE %s SET locked = TRUE, lockgranted = UTC_TIMESTAMP(), lockedby = ?
      WHERE id = 1 AND locked = FALSE
      """;
  private static final String FREE =
      "UPDATE %s SET locked = FALSE, lockgranted = NULL, lockedby = NULL WHERE id = 1 AND lockedby = ?";
  private static final String FREE_ANY =
      "UPDATE %s SET locked = FALSE, lockgranted = NULL, lockedby = NULL WHERE locked = TRUE";

  private static final String HOLDER_POSTGRESQL =
      """
      SELECT lockedby, floor(extract(epoch FROM (now() AT TIME ZONE 'UTC') - lockgranted)) FROM %s WHERE locked = TRUE
      """;
  private static final String HOLDER_MYSQL =
      """
      SELECT lockedby, TIMESTAMPDIFF(SECOND, lockgranted, UTC_TIMESTAMP()) FROM %s WHERE locked = TRUE
      """;

  private final Session session;
  private final boolean postgres;
  private final String me;
  private @Nullable SQLException hindrance;

  ChangelogLock(Session session) {
    this(session, myName());
  }

  private ChangelogLock(Session session, String me) {
    this.session = session;
    this.postgres = session.vendor() == Vendor.POSTGRESQL;
    this.me = me;
  }

  /** The same lock and holder, by way of another connection. */
  ChangelogLock over(Session other) {
    return new ChangelogLock(other, me);
  }

  /**
   * Takes the lock, within the lock wait and a few seconds: no statement waits for longer than
   * that, whatever other sessions do with the row or the table.
   */
  void acquire(Duration wait) throws SQLException {
    long start = System.nanoTime();
    boolean told = false;
    Duration left = wait;
    while (!take(left)) {
      Optional<LockHolder> holder = holderIfReadable();
      left = wait.minusNanos(System.nanoTime() - start);
      if (left.isNegative() || left.isZero()) {
        giveUp(holder, wait.minus(left), left.plus(Session.GRACE).isNegative());
      }
      if (holder.isPresent() && !told) {
        LOG.info(
            "{} - waiting for the changelog lock, held by {}",
            session.schema(),
            holder.get().name());
        told = true;
      }
      pause();
    }
  }

  /** Frees the lock if it is ours; that its table is gone is as good. */
  void release() throws SQLException {
    try {
      update(FREE, Duration.ZERO, me);
    } catch (SQLException e) {
      if (!SqlErrors.isTableMissing(e, session.vendor())) {
        throw e;
      }
    }
  }

  /** Frees the lock whoever holds it, and says who did. */
  Optional<LockHolder> releaseByForce() throws SQLException {
    Optional<LockHolder> holder = holder();
    if (holder.isPresent()) {
      update(FREE_ANY, Duration.ZERO);
    }
    return holder;
  }

  Optional<LockHolder> holder() throws SQLException {
    if (!StructureReader.read(session, List.of(TABLE)).has(TABLE)) {
      return Optional.empty();
    }
    try (PreparedStatement statement =
        prepare(postgres ? HOLDER_POSTGRESQL : HOLDER_MYSQL, Duration.ZERO)) {
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return Optional.empty();
        }
        String name = rows.getString(1);
        return Optional.of(
            new LockHolder(name == null ? "unknown" : name, Duration.ofSeconds(rows.getLong(2))));
      }
    } catch (SQLException e) {
      if (SqlErrors.isTableMissing(e, session.vendor())) { // A rollback may just have dropped it.
        return Optional.empty();
      }
      throw e;
    }
  }

  private Optional<LockHolder> holderIfReadable() throws SQLException {
    try {
      return holder();
    } catch (SQLException e) {
      remember(e);
      return Optional.empty();
    }
  }

  private void giveUp(Optional<LockHolder> holder, Duration waited, boolean graceIsOver)
      throws SQLException {
    if (holder.isPresent()) {
      throw new ChangelogLockedException(session, holder.get(), waited);
    }
    if (graceIsOver) {
      throw new MigrationFailedException(
          """
          Waited %d s for the changelog lock of schema %s: nobody holds it, but its row in %s cannot be changed. %s"""
              .formatted(
                  waited.toSeconds(),
                  session.schema(),
                  session.table(TABLE),
                  MigrationFailedException.HELD_UP),
          hindrance);
    }
  }

  /** Tries once. A rollback elsewhere may have dropped the table, so that it is made first. */
  private boolean take(Duration left) throws SQLException {
    try {
      createTable(left);
      return update(postgres ? TAKE_POSTGRESQL : TAKE_MYSQL, left, me) == 1;
    } catch (SQLException e) {
      remember(e);
      return false;
    }
  }

  private void remember(SQLException e) throws SQLException {
    if (!SqlErrors.isPassing(e, session.vendor())) {
      throw e;
    }
    hindrance = e;
  }

  private void createTable(Duration left) throws SQLException {
    if (holder().isPresent()) {
      return;
    }
    try {
      update(postgres ? CREATE_POSTGRESQL : CREATE_MYSQL, left);
    } catch (SQLException e) {
      if (!SqlErrors.isCreatedByRival(e)) {
        throw e;
      }
    }
    update(postgres ? ADD_ROW_POSTGRESQL : ADD_ROW_MYSQL, left);
  }

  private int update(String sql, Duration limit, String... parameters) throws SQLException {
    try (PreparedStatement statement = prepare(sql, limit)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      return statement.executeUpdate();
    }
  }

  private PreparedStatement prepare(String sql, Duration limit) throws SQLException {
    return session.prepare(sql.formatted(session.table(TABLE)), limit);
  }

  private static void pause() {
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MigrationFailedException("Interrupted while waiting for the changelog lock", e);
    }
  }

  private static String myName() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown host";
    }
    // The thread too: two pools of one process are two holders.
    return "%s, process %d, thread %d"
        .formatted(host, ProcessHandle.current().pid(), Thread.currentThread().getId());
  }
}
