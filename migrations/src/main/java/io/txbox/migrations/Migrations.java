package io.txbox.migrations;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Brings the tables of txbox into a schema, and checks that they are there.
 *
 * <p>The tables, and the changelog that says how they came, have names of their own ({@code
 * inbox…}), so that they live beside an application's Liquibase or Flyway, in the same schema or in
 * another one. Every method takes one connection from the data source and gives it back as it was.
 * Thread-safe.
 */
public final class Migrations {

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
    inSession(session -> migration(session).migrate());
  }

  /**
   * Checks that the schema fits this library: all tables, columns with their types, nullability and
   * collations, keys, indexes, and the version. It only reads, and needs no rights but to select
   * from {@code inbox_schema}; on MySQL and MariaDB, which hide other tables, to select from each.
   * A schema that is one version newer passes.
   *
   * @throws SchemaMismatchException with every difference and the command that mends it
   * @throws SchemaMissingException if there is no such schema
   * @throws UnsupportedDatabaseException if the database is not PostgreSQL, MySQL or MariaDB
   * @throws MigrationFailedException if the schema cannot be read
   */
  public void verify() {
    inSession(session -> Inspection.of(session, release).orMismatch());
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
    inSession(session -> migration(session).rollback(version));
  }

  private Migration migration(Session session) {
    return new Migration(dataSource, session, release, lockWait);
  }

  private <T> T inSession(SessionWork<T> work) {
    try (Session session = Session.open(dataSource, schema, lockWait)) {
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
        String hint =
            SqlErrors.isTimeout(e, session.vendor()) ? ". " + MigrationFailedException.HELD_UP : "";
        throw new MigrationFailedException(
            "The schema %s could not be migrated or read: %s%s"
                .formatted(session.schema(), e.getMessage(), hint),
            e);
      }
    } catch (SQLException e) {
      throw new MigrationFailedException("No use of the database: " + e.getMessage(), e);
    }
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
      Session.objection(schema)
          .ifPresent(
              objection -> {
                throw new IllegalArgumentException(objection);
              });
      this.schema = schema;
      return this;
    }

    /**
     * How long to wait for a migration that runs elsewhere, and for a table that another session
     * has locked; default 60 seconds.
     */
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
