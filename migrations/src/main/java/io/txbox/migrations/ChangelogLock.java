package io.txbox.migrations;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Liquibase's lock row, taken by ourselves: Liquibase's own service waits in whole minutes, prints
 * to the console while it waits, and two of them on an empty schema can delete each other's row.
 * The table is Liquibase's, so that its tools see who holds the lock.
 */
final class ChangelogLock {

  static final String TABLE = "inbox_changelog_lock";

  private static final Logger LOG = LoggerFactory.getLogger(ChangelogLock.class);
  private static final Duration POLL = Duration.ofMillis(200);

  private static final String CREATE_POSTGRESQL =
      """
      CREATE TABLE IF NOT EXISTS inbox_changelog_lock (
        id integer NOT NULL, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255),
        CONSTRAINT inbox_changelog_lock_pkey PRIMARY KEY (id))
      """;
  private static final String CREATE_MYSQL =
      """
      CREATE TABLE IF NOT EXISTS inbox_changelog_lock (
        id int NOT NULL, locked tinyint NOT NULL, lockgranted datetime NULL, lockedby varchar(255) NULL, PRIMARY KEY (id))
        ENGINE=InnoDB
      """;
  private static final String ADD_ROW_POSTGRESQL =
      "INSERT INTO inbox_changelog_lock (id, locked) VALUES (1, FALSE) ON CONFLICT DO NOTHING";
  private static final String ADD_ROW_MYSQL =
      "INSERT INTO inbox_changelog_lock (id, locked) VALUES (1, FALSE) ON DUPLICATE KEY UPDATE id = id";

  private static final String TAKE_POSTGRESQL =
      """
      UPDATE inbox_changelog_lock SET locked = TRUE, lockgranted = now() AT TIME ZONE 'UTC', lockedby = ?
      WHERE id = 1 AND locked = FALSE
      """;
  private static final String TAKE_MYSQL =
      """
      UPDATE inbox_changelog_lock SET locked = TRUE, lockgranted = UTC_TIMESTAMP(), lockedby = ?
      WHERE id = 1 AND locked = FALSE
      """;
  private static final String FREE =
      "UPDATE inbox_changelog_lock SET locked = FALSE, lockgranted = NULL, lockedby = NULL WHERE id = 1 AND lockedby = ?";
  private static final String FREE_ANY =
      "UPDATE inbox_changelog_lock SET locked = FALSE, lockgranted = NULL, lockedby = NULL WHERE locked = TRUE";

  private static final String HOLDER_POSTGRESQL =
      """
      SELECT lockedby, floor(extract(epoch FROM (now() AT TIME ZONE 'UTC') - lockgranted)) FROM inbox_changelog_lock WHERE locked = TRUE
      """;
  private static final String HOLDER_MYSQL =
      """
      SELECT lockedby, TIMESTAMPDIFF(SECOND, lockgranted, UTC_TIMESTAMP()) FROM inbox_changelog_lock WHERE locked = TRUE
      """;

  private final Session session;
  private final boolean postgres;
  private final String me = myName();

  ChangelogLock(Session session) {
    this.session = session;
    this.postgres = session.vendor() == Vendor.POSTGRESQL;
  }

  void acquire(Duration wait) throws SQLException {
    createTable();
    long start = System.nanoTime();
    boolean told = false;
    while (!update(postgres ? TAKE_POSTGRESQL : TAKE_MYSQL)) {
      Optional<LockHolder> holder = holder();
      Duration waited = Duration.ofNanos(System.nanoTime() - start);
      if (holder.isPresent() && waited.compareTo(wait) >= 0) {
        throw new ChangelogLockedException(
            session.schema(), holder.get(), waited, Commands.releaseLock(session.schema()));
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

  void release() throws SQLException {
    update(FREE);
  }

  /** Frees the lock whoever holds it, and says who did. */
  Optional<LockHolder> releaseByForce() throws SQLException {
    Optional<LockHolder> holder = holder();
    if (holder.isPresent()) {
      session.execute(FREE_ANY);
    }
    return holder;
  }

  Optional<LockHolder> holder() throws SQLException {
    if (!StructureReader.read(session, List.of(TABLE)).has(TABLE)) {
      return Optional.empty();
    }
    try (Statement statement = session.connection().createStatement();
        ResultSet rows = statement.executeQuery(postgres ? HOLDER_POSTGRESQL : HOLDER_MYSQL)) {
      if (!rows.next()) {
        return Optional.empty();
      }
      String name = rows.getString(1);
      return Optional.of(
          new LockHolder(name == null ? "unknown" : name, Duration.ofSeconds(rows.getLong(2))));
    }
  }

  private void createTable() throws SQLException {
    try {
      session.execute(postgres ? CREATE_POSTGRESQL : CREATE_MYSQL);
    } catch (SQLException e) {
      if (!SqlErrors.isCreatedByRival(e)) {
        throw e;
      }
    }
    session.execute(postgres ? ADD_ROW_POSTGRESQL : ADD_ROW_MYSQL);
  }

  private boolean update(String sql) throws SQLException {
    try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
      statement.setString(1, me);
      return statement.executeUpdate() == 1;
    }
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
