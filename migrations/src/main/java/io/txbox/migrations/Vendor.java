package io.txbox.migrations;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;

/** The databases that we know. MariaDB's schema is MySQL's, byte for byte. */
enum Vendor {
  POSTGRESQL("postgresql"),
  MYSQL("mysql"),
  MARIADB("mysql");

  private final String files;

  Vendor(String files) {
    this.files = files;
  }

  static Vendor of(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    String version = connection.getMetaData().getDatabaseProductVersion();
    return switch (product) {
      case "PostgreSQL" -> POSTGRESQL;
      case "MariaDB" -> MARIADB;
      // MySQL's own driver calls a MariaDB server by its name only in the version.
      case "MySQL" -> version.toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : MYSQL;
      default -> throw new UnsupportedDatabaseException(product + " " + version);
    };
  }

  /** The whole schema as plain SQL, without Liquibase's bookkeeping. */
  String plainSql() {
    return resource("sql/" + files + ".sql");
  }

  /** The structure that the migrated schema has, as {@link Structure#parse} reads it. */
  String structure() {
    return resource("structure/" + files + ".txt");
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(Vendor.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
