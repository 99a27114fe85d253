package io.txbox.migrations;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A database of its own for one test, on one PostgreSQL server that all tests of this module share.
 */
final class TestDatabase {

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String name;

  private TestDatabase(String name) {
    this.name = name;
  }

  static TestDatabase create() {
    TestDatabase database = new TestDatabase("txbox_" + NUMBER.incrementAndGet());
    DataSource admin = Server.INSTANCE.getPostgresDatabase();
    execute(admin, "CREATE DATABASE " + database.name);
    return database;
  }

  DataSource owner() {
    return as("postgres");
  }

  DataSource as(String role) {
    return Server.INSTANCE.getDatabase(role, name);
  }

  /** Makes a role that may log in, and nothing else; its name is unique on the server. */
  String role() {
    String role = "role_" + NUMBER.incrementAndGet();
    execute("CREATE ROLE " + role + " LOGIN");
    return role;
  }

  String url() {
    return "jdbc:postgresql://localhost:%d/%s".formatted(Server.INSTANCE.getPort(), name);
  }

  void execute(String sql) {
    execute(owner(), sql);
  }

  List<String> query(String sql) {
    return query(owner(), sql);
  }

  static List<String> query(DataSource dataSource, String sql) {
    List<String> values = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
    return values;
  }

  static void execute(DataSource dataSource, String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  List<String> tables(String schema) {
    return query(
        "SELECT tablename FROM pg_tables WHERE schemaname = '%s' ORDER BY 1".formatted(schema));
  }

  Session session(String schema) throws SQLException {
    return Session.open(owner(), schema, Duration.ofSeconds(5));
  }

  /** Everything that makes the tables of a schema what they are, the changelog's left out. */
  Structure structure(String schema) {
    try (Session session = session(schema)) {
      return StructureReader.read(session, Release.CURRENT.structure(Vendor.POSTGRESQL).tables());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Server {
    static final EmbeddedPostgres INSTANCE = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder().setServerConfig("max_connections", "200").start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
