package io.txbox.migrations;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables of txbox into a schema, and checks that they are there.
 *
 * <p>The tables, and the changelog that says how they came, have names of their own ({@code
 * inbox…}), so that they live beside an application's Liquibase or Flyway, in the same schema or in
 * another one. Every method takes one connection from the data source and gives it back as it was.
 * Thread-safe.
 */
public final class Migrations {

  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private final DataSource dataSource;
  private final @Nullable String schema;
  private final Duration lockWait;
  private final Release release;

  private Migrations(Builder builder) {
    this.dataSource = builder.dataSource;
    this.schema = builder.schema;
    this.lockWait = builder.lockWait;
    this.release = builder.release;
  }

  /** Migrates the connection's current schema; see {@link #migrate()}. */
  public static void migrate(DataSource dataSource) {
    builder(dataSource).build().migrate();
  }

  /**
   * Migrates that PostgreSQL schema or MySQL database, which must exist; see {@link #migrate()}.
   */
  public static void migrate(DataSource dataSource, String schema) {
    builder(dataSource).schema(schema).build().migrate();
  }

  /** Verifies the connection's current schema; see {@link #verify()}. */
  public static void verify(DataSource dataSource) {
    builder(dataSource).build().verify();
  }

  /** Verifies that PostgreSQL schema or MySQL database; see {@link #verify()}. */
  public static void verify(DataSource dataSource, String schema) {
    builder(dataSource).schema(schema).build().verify();
  }

  /** Starts a migration with settings of its own. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Brings the schema to the version of this library, or does nothing if it is there already. Any
   * number of processes may call this at once; one works, the others wait for it. If it returns,
   * {@link #verify()} would too.
   *
   * @throws MissingRightsException if the role may not create tables
   * @throws TableTakenException if something has one of our names but is not ours; nothing is
   *     changed then
   * @throws ChangelogLockedException if another migration held the lock for longer than the lock
   *     wait
   * @throws SchemaMismatchException if our tables were changed by hand, or are newer than this
   *     library can use
   * @throws SchemaMissingException if there is no such schema
   * @throws UnsupportedDatabaseException if the database is not PostgreSQL, MySQL or MariaDB
   * @throws MigrationFailedException if a statement fails for another reason
   */
  public void migrate() {
    inSession(this::migrate);
  }

  /**
   * Checks that the schema fits this library: all tables, columns with their types, nullability and
   * collations, keys, indexes, and the version. It only reads, and needs no rights but to select
   * from {@code inbox_schema}. A schema that is one version newer passes.
   *
   * @throws SchemaMismatchException with every difference and the command that mends it
   * @throws SchemaMissingException if there is no such schema
   * @throws UnsupportedDatabaseException if the database is not PostgreSQL, MySQL or MariaDB
   * @throws MigrationFailedException if the schema cannot be read
   */
  public void verify() {
    inSession(session -> fitting(Inspection.of(session, release)));
  }

  /** Says what is there, without complaining about it. It only reads. */
  public SchemaStatus status() {
    return inSession(
        session -> {
          Inspection inspection = Inspection.of(session, release);
          var database = session.connection().getMetaData();
          return new SchemaStatus(
              database.getDatabaseProductName() + " " + database.getDatabaseProductVersion(),
              session.schema(),
              inspection.version(),
              release.version(),
              inspection.differences(),
              new ChangelogLock(session).holder());
        });
  }

  /**
   * Frees the changelog lock that a killed migration has left, and says who held it. To be called
   * only when that process is known to be dead: nothing else keeps two migrations apart.
   */
  public Optional<LockHolder> releaseLock() {
    return inSession(session -> new ChangelogLock(session).releaseByForce());
  }

  /**
   * Drops all tables of txbox in the schema <b>with everything in them</b>, and the changelog.
   * Every message counts as new after that.
   *
   * @throws SchemaMismatchException if the schema is of a newer version, which this library cannot
   *     take back
   */
  public void rollback() {
    rollbackTo(0);
  }

  /** Takes back what came after that version, and drops all if it is 0. */
  void rollbackTo(int version) {
    inSession(session -> rollback(session, version));
  }

  private Inspection migrate(Session session) throws Exception {
    Inspection before = Inspection.of(session, release);
    if (before.fits()) {
      LOG.debug("{} - the schema has version {} already", session.schema(), before.version());
      return before;
    }
    locked(session, before, () -> updateUnlessDone(session));
    return fitting(Inspection.of(session, release));
  }

  private void updateUnlessDone(Session session) throws Exception {
    // Whoever held the lock before us may have done it.
    if (!Inspection.of(session, release).fits()) {
      Changelog.update(session, release);
      LOG.info(
          "{} - the changelog has been applied, up to version {}",
          session.schema(),
          release.version());
    }
  }

  private Inspection rollback(Session session, int version) throws Exception {
    Inspection before = Inspection.of(session, release);
    if (before.version() > release.version()) {
      throw before.tooNewToRollBack();
    }
    locked(
        session,
        before,
        () -> {
          // What was applied by hand, or half, gets its entries in the changelog first.
          Changelog.update(session, release);
          Changelog.rollback(session, release, version);
          if (version == 0) {
            // The lock as well while it is held: after that it would be another one's.
            session.execute(
                "DROP TABLE %s, %s"
                    .formatted(session.table(Changelog.TABLE), session.table(ChangelogLock.TABLE)));
          }
        });
    LOG.info(
        "{} - {}",
        session.schema(),
        version == 0 ? "all tables of txbox are dropped" : "is back at version " + version);
    return before;
  }

  private static Inspection fitting(Inspection inspection) throws SQLException {
    if (!inspection.fits()) {
      throw inspection.mismatch();
    }
    return inspection;
  }

  private void locked(Session session, Inspection before, Work work) throws Exception {
    if (before.isTooNew()) {
      throw before.mismatch();
    }
    if (!session.may("USAGE") || !session.may("CREATE")) {
      String role = session.role();
      String grant =
          "it has no right to (GRANT USAGE, CREATE ON SCHEMA %s TO %s)"
              .formatted(session.vendor().quoted(session.schema()), session.vendor().quoted(role));
      throw new MissingRightsException(session, role, grant, null);
    }
    Names.of(session, release).refuseForeign(before);
    String command = Commands.releaseLock(session);
    ChangelogLock lock = new ChangelogLock(session);
    lock.acquire(lockWait);
    try {
      work.run();
    } catch (Exception e) {
      try {
        release(session, lock);
      } catch (SQLException unreleased) {
        e.addSuppressed(unreleased);
        throw new MigrationFailedException(
            "The schema %s could not be migrated: %s. The changelog lock could not be freed either. Free it with: %s"
                .formatted(session.schema(), e.getMessage(), command),
            e);
      }
      throw e;
    }
    release(session, lock);
  }

  /** On another connection if this one is broken: nobody else will do it, since we are alive. */
  private void release(Session session, ChangelogLock lock) throws SQLException {
    try {
      lock.release();
    } catch (SQLException e) {
      try (Session other = Session.open(dataSource, session.schema())) {
        lock.over(other).release();
      } catch (SQLException | RuntimeException again) {
        e.addSuppressed(again);
        throw e;
      }
    }
  }

  private <T> T inSession(SessionWork<T> work) {
    try (Session session = Session.open(dataSource, schema)) {
      try {
        return work.run(session);
      } catch (MigrationException e) {
        throw e;
      } catch (Exception e) {
        if (SqlErrors.isMissingRights(e, session.vendor())) {
          String words = SqlErrors.find(e).map(SQLException::getMessage).orElse("");
          throw new MissingRightsException(session, session.role(), words, e);
        }
        if (SqlErrors.isReadOnly(e, session.vendor())) {
          throw new MigrationFailedException(
              """
              The schema %s cannot be migrated, since the session is read-only (%s). Connect to the primary, as a role \
              and in a database without default_transaction_read_only, from a pool that is not read-only."""
                  .formatted(session.schema(), e.getMessage()),
              e);
        }
        throw new MigrationFailedException(
            "The schema %s could not be migrated or read: %s"
                .formatted(session.schema(), e.getMessage()),
            e);
      }
    } catch (SQLException e) {
      throw new MigrationFailedException("No use of the database: " + e.getMessage(), e);
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private interface SessionWork<T> {
    T run(Session session) throws Exception;
  }

  /** The settings of a migration. */
  public static final class Builder {

    private final DataSource dataSource;
    private @Nullable String schema;
    private Duration lockWait = Duration.ofSeconds(60);
    private Release release = Release.CURRENT;

    private Builder(DataSource dataSource) {
      this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** The PostgreSQL schema or MySQL database to use instead of the connection's current one. */
    public Builder schema(String schema) {
      if (schema.isBlank()) {
        throw new IllegalArgumentException("schema is blank: '" + schema + "'");
      }
      this.schema = schema;
      return this;
    }

    /** How long to wait for a migration that runs elsewhere; default 60 seconds. */
    public Builder lockWait(Duration lockWait) {
      if (lockWait.isNegative()) {
        throw new IllegalArgumentException("lockWait is negative: " + lockWait);
      }
      this.lockWait = lockWait;
      return this;
    }

    /** Another version of the library, one that does not exist yet. */
    Builder release(Release release) {
      this.release = release;
      return this;
    }

    /** Builds it. Nothing is connected to before a method is called. */
    public Migrations build() {
      return new Migrations(this);
    }
  }
}
