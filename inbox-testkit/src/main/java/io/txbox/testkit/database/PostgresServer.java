package io.txbox.testkit.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.Map;
import java.util.Properties;
import org.jooq.SQLDialect;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * A PostgreSQL server: where {@code TXBOX_POSTGRES_URL} says, in a container if {@code
 * TXBOX_POSTGRES} is {@code container}, else unpacked and started here.
 */
final class PostgresServer implements DatabaseServer {

  static final String URL = "TXBOX_POSTGRES_URL";
  static final String KIND = "TXBOX_POSTGRES";

  private final Address maintenance;
  private final Runnable stop;

  private PostgresServer(Address maintenance, Runnable stop) {
    this.maintenance = maintenance;
    this.stop = stop;
  }

  static PostgresServer start(Map<String, String> environment) {
    String url = environment.get(URL);
    if (url != null) {
      return at(url);
    }
    String kind = environment.getOrDefault(KIND, "embedded");
    return switch (kind) {
      case "embedded" -> EmbeddedPostgresServer.start();
      case "container" -> PostgresContainerServer.start();
      default ->
          throw new IllegalArgumentException(KIND + " is neither embedded nor container: " + kind);
    };
  }

  /**
   * Returns the server that an address like {@code jdbc:postgresql://host/db?user=u&password=p}
   * names.
   */
  static PostgresServer at(String url) {
    Properties parsed = Driver.parseURL(url, new Properties());
    if (parsed == null) {
      throw new IllegalArgumentException("Not an address of PostgreSQL's driver: " + url);
    }
    return new PostgresServer(
        new Address(
            text(PGProperty.PG_HOST, parsed),
            Integer.parseInt(text(PGProperty.PG_PORT, parsed)),
            text(PGProperty.PG_DBNAME, parsed),
            text(PGProperty.USER, parsed),
            text(PGProperty.PASSWORD, parsed)),
        () -> {});
  }

  private static String text(PGProperty property, Properties parsed) {
    String value = property.getOrDefault(parsed);
    return value == null ? "" : value;
  }

  static PostgresServer running(Address maintenance, Runnable stop) {
    return new PostgresServer(maintenance, stop);
  }

  @Override
  public String jdbcUrl(Address address) {
    return "jdbc:postgresql://%s:%d/%s"
        .formatted(address.host(), address.port(), address.database());
  }

  @Override
  public SQLDialect dialect() {
    return SQLDialect.POSTGRES;
  }

  @Override
  public Address create(String database) {
    execute("CREATE DATABASE \"" + database + "\"");
    return new Address(
        maintenance.host(),
        maintenance.port(),
        database,
        maintenance.user(),
        maintenance.password());
  }

  @Override
  public void drop(String database) {
    execute("DROP DATABASE IF EXISTS \"" + database + "\" WITH (FORCE)");
  }

  @Override
  public String setTimeZone(ZoneId zone) {
    return "SET TIME ZONE '" + zone + "'";
  }

  @Override
  public String describeBusySessions() {
    return "SELECT format('session %s, %s: %s', pid, state, query) FROM pg_stat_activity"
        + " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'";
  }

  private void execute(String sql) {
    try (Connection connection =
            DriverManager.getConnection(
                jdbcUrl(maintenance), maintenance.user(), maintenance.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "PostgreSQL at " + jdbcUrl(maintenance) + " refuses: " + sql, e);
    }
  }

  @Override
  public void close() {
    stop.run();
  }
}
