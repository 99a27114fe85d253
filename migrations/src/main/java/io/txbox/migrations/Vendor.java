package io.txbox.migrations;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

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

  /** How the files that are made for it are called. */
  String files() {
    return files;
  }

  /** Quotes a name, so that it means itself and nothing else. */
  String quoted(String name) {
    String quote = this == POSTGRESQL ? "\"" : "`";
    return quote + name.replace(quote, quote + quote) + quote;
  }
}
