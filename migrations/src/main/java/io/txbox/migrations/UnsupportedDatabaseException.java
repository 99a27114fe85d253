package io.txbox.migrations;

/** Thrown if the database is neither PostgreSQL nor MySQL nor MariaDB. */
public final class UnsupportedDatabaseException extends MigrationException {

  private final String product;

  UnsupportedDatabaseException(String product) {
    super("txbox runs on PostgreSQL, MySQL and MariaDB; this database is " + product, null);
    this.product = product;
  }

  /** What the driver calls the database. */
  public String product() {
    return product;
  }
}
