package io.txbox.migrations;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection that looks at one schema. Closing it gives it back to the pool as it came.
 *
 * <p>On PostgreSQL the session is left alone: behind a pooler each statement may run in another
 * one, so that the tables are named with their schema ({@link #table}).
 */
final class Session implements AutoCloseable {

  /** For how much longer than the lock wait a statement may take, whoever holds it up. */
  static final Duration GRACE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  // What Liquibase, or a driver that reads a name as a pattern, does not take for what it is.
  private static final Pattern UNUSABLE = Pattern.compile("[\"`\\\\\\p{Cntrl}]");

  private final Connection connection;
  private final Vendor vendor;
  private final String schema;
  private final boolean autoCommit;
  private final @Nullable String catalog;
  private final Duration lockWait;

  private Session(
      Connection connection,
      Vendor vendor,
      String schema,
      boolean autoCommit,
      @Nullable String catalog,
      Duration lockWait) {
    this.connection = connection;
    this.vendor = vendor;
    this.schema = schema;
    this.autoCommit = autoCommit;
    this.catalog = catalog;
    this.lockWait = lockWait;
  }

  /**
   * Takes a connection.
   *
   * @param lockWait how long a statement may take, but for {@link #GRACE}
   */
  static Session open(DataSource dataSource, @Nullable String wantedSchema, Duration lockWait)
      throws SQLException {
    Connection connection = dataSource.getConnection();
    boolean autoCommit = connection.getAutoCommit();
    try {
      Vendor vendor = Vendor.of(connection);
      connection.setAutoCommit(true);
      String schema = resolve(connection, vendor, wantedSchema);
      String catalog = connection.getCatalog();
      if (vendor != Vendor.POSTGRESQL) {
        connection.setCatalog(schema);
      }
      return new Session(connection, vendor, schema, autoCommit, catalog, lockWait);
    } catch (SQLException | RuntimeException e) {
      try (connection) {
        connection.setAutoCommit(autoCommit);
      } catch (SQLException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  Vendor vendor() {
    return vendor;
  }

  String schema() {
    return schema;
  }

  String role() throws SQLException {
    String role = query("SELECT current_user");
    return role == null ? "of this connection" : role;
  }

  /** A table of ours as SQL names it. */
  String table(String name) {
    return vendor.quoted(schema) + "." + name;
  }

  /** The address that was connected to, without what may be secret. */
  String url() throws SQLException {
    return Address.withoutSecrets(connection.getMetaData().getURL());
  }

  /** Who has connected, if not the role that is acting. */
  String user() throws SQLException {
    String user = connection.getMetaData().getUserName();
    return vendor == Vendor.POSTGRESQL ? user : user.replaceFirst("@[^@]*$", "");
  }

  /** Whether the role has that right on the schema. On MySQL only the attempt shows it. */
  boolean may(String right) throws SQLException {
    return vendor != Vendor.POSTGRESQL
        || "t"
            .equals(
                query(
                    "SELECT pg_catalog.has_schema_privilege(oid, ?) FROM pg_catalog.pg_namespace WHERE nspname = ?",
                    right,
                    schema));
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A statement that waits for what other sessions have locked, but not for ever. */
  PreparedStatement prepare(String sql) throws SQLException {
    return prepare(sql, lockWait);
  }

  PreparedStatement prepare(String sql, Duration limit) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    long seconds = Math.min(Math.max(limit.toSeconds(), 0), Integer.MAX_VALUE - GRACE.toSeconds());
    statement.setQueryTimeout((int) (seconds + GRACE.toSeconds()));
    return statement;
  }

  @Nullable String query(String sql, String... parameters) throws SQLException {
    return query(prepare(sql), parameters);
  }

  /** Why a schema of that name cannot be used, if so. */
  static Optional<String> objection(String schema) {
    return UNUSABLE.matcher(schema).find()
        ? Optional.of(
            """
            schema has a quotation mark, a backslash, a backtick or a control character in its name, which cannot be used: %s. \
            Rename that schema, or give txbox one of its own: CREATE SCHEMA txbox, then schema "txbox"."""
                .formatted(schema))
        : Optional.empty();
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      if (vendor != Vendor.POSTGRESQL && catalog != null) {
        connection.setCatalog(catalog);
      }
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      // The work is done or has its own exception; the pool throws a broken connection away.
      LOG.debug("{} - the connection could not be restored", schema, e);
    }
  }

  private static String resolve(Connection connection, Vendor vendor, @Nullable String wanted)
      throws SQLException {
    if (wanted == null) {
      String current =
          vendor == Vendor.POSTGRESQL ? connection.getSchema() : connection.getCatalog();
      if (current == null || current.isEmpty()) {
        throw new SchemaMissingException(
            "The connection has no current schema: %s. Say which schema is meant."
                .formatted(
                    vendor == Vendor.POSTGRESQL
                        ? "no schema of the search path exists"
                        : "its address, %s, names no database"
                            .formatted(Address.withoutSecrets(connection.getMetaData().getURL()))));
      }
      Optional<String> objection = objection(current);
      if (objection.isPresent()) {
        throw new MigrationFailedException(objection.get(), null);
      }
      return current;
    }
    String found =
        query(
            connection.prepareStatement(
                vendor == Vendor.POSTGRESQL
                    ? "SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = ?"
                    : "SELECT schema_name FROM information_schema.schemata WHERE schema_name = ?"),
            wanted);
    if (found == null) {
      throw new SchemaMissingException(
          "There is no schema %s in this database, and a migration does not create one. As an administrator: CREATE SCHEMA %s"
              .formatted(wanted, vendor.quoted(wanted)));
    }
    return found;
  }

  private static @Nullable String query(PreparedStatement prepared, String... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepared) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    }
  }
}
