package io.txbox.migrations;

import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What changes a schema: under the changelog lock, and only if nothing there is another's. */
final class Migration {

  private static final Logger LOG = LoggerFactory.getLogger(Migration.class);

  private final DataSource dataSource;
  private final Session session;
  private final Release release;
  private final Duration lockWait;

  Migration(DataSource dataSource, Session session, Release release, Duration lockWait) {
    this.dataSource = dataSource;
    this.session = session;
    this.release = release;
    this.lockWait = lockWait;
  }

  Inspection migrate() throws Exception {
    Inspection before = Inspection.of(session, release);
    if (before.fits()) {
      LOG.debug("{} - the schema has version {} already", session.schema(), before.version());
      return before;
    }
    return locked(before, this::updateUnlessDone);
  }

  private Inspection updateUnlessDone() throws Exception {
    // Whoever held the lock before us may have done it.
    if (!Inspection.of(session, release).fits()) {
      Changelog.update(session, release);
      LOG.info(
          "{} - the changelog has been applied, up to version {}",
          session.schema(),
          release.version());
    }
    // While the lock is held: after that a rollback elsewhere may drop all of it.
    return Inspection.of(session, release).orMismatch();
  }

  /** Takes back what came after that version, and drops all if it is 0. */
  Inspection rollback(int version) throws Exception {
    Inspection before = Inspection.of(session, release).orTooNewToRollBack();
    locked(
        before,
        () -> {
          rollbackUnlessTooNew(version);
          return before;
        });
    LOG.info(
        "{} - {}",
        session.schema(),
        version == 0 ? "all tables of txbox are dropped" : "is back at version " + version);
    return before;
  }

  private void rollbackUnlessTooNew(int version) throws Exception {
    // Whoever held the lock before us may have had a newer library.
    Inspection.of(session, release).orTooNewToRollBack();
    // What was applied by hand, or half, gets its entries in the changelog first.
    Changelog.update(session, release);
    Changelog.rollback(session, release, version);
    if (version == 0) {
      // The lock as well while it is held: after that it would be another one's.
      session.execute(
          "DROP TABLE %s, %s"
              .formatted(session.table(Changelog.TABLE), session.table(ChangelogLock.TABLE)));
    }
  }

  private Inspection locked(Inspection before, Work work) throws Exception {
    if (before.isTooNew()) {
      throw before.mismatch();
    }
    refuseWithoutRights();
    Names.of(session, release).refuseForeign(before);
    String command = Commands.releaseLock(session);
    ChangelogLock lock = new ChangelogLock(session);
    lock.acquire(lockWait);
    Inspection after;
    try {
      after = work.run();
    } catch (Exception e) {
      try {
        release(lock);
      } catch (SQLException unreleased) {
        e.addSuppressed(unreleased);
        throw new MigrationFailedException(
            "The schema %s could not be migrated: %s. The changelog lock could not be freed either. Free it with: %s"
                .formatted(session.schema(), e.getMessage(), command),
            e);
      }
      throw e;
    }
    release(lock);
    return after;
  }

  private void refuseWithoutRights() throws SQLException {
    if (!session.may("USAGE") || !session.may("CREATE")) {
      String role = session.role();
      String grant =
          "it has no right to (GRANT USAGE, CREATE ON SCHEMA %s TO %s)"
              .formatted(session.vendor().quoted(session.schema()), session.vendor().quoted(role));
      throw new MissingRightsException(session, role, grant, null);
    }
  }

  /** On another connection if this one is broken: nobody else will do it, since we are alive. */
  private void release(ChangelogLock lock) throws SQLException {
    try {
      lock.release();
    } catch (SQLException e) {
      try (Session other = Session.open(dataSource, session.schema(), lockWait)) {
        lock.over(other).release();
      } catch (SQLException | RuntimeException again) {
        e.addSuppressed(again);
        throw e;
      }
    }
  }

  private interface Work {
    Inspection run() throws Exception;
  }
}
