package io.txbox.migrations;

/** The command lines that our messages tell an operator to type. */
final class Commands {

  private static final String JAR = "java -jar inbox-migrations-cli.jar";

  private Commands() {}

  static String migrate(String schema) {
    return "%s migrate --url <jdbc address> --user <owner> --schema %s".formatted(JAR, schema);
  }

  static String releaseLock(String schema) {
    return "%s release-lock --url <jdbc address> --user <owner> --schema %s".formatted(JAR, schema);
  }

  static String sql(Vendor vendor) {
    return "%s sql --database %s"
        .formatted(JAR, vendor == Vendor.POSTGRESQL ? "postgresql" : "mysql");
  }
}
