package io.txbox.migrations;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** Tells errors apart by SQLState and vendor code, along the cause chain. */
final class SqlErrors {

  private static final Set<String> NO_RIGHTS_STATES = Set.of("42501");
  private static final Set<Integer> NO_RIGHTS_CODES = Set.of(1044, 1142, 1227);
  private static final Set<String> DUPLICATE_STATES = Set.of("23505", "42P07", "42710");

  private SqlErrors() {}

  static boolean isMissingRights(Throwable thrown, Vendor vendor) {
    return find(thrown)
        .filter(
            e ->
                vendor == Vendor.POSTGRESQL
                    ? NO_RIGHTS_STATES.contains(e.getSQLState())
                    : NO_RIGHTS_CODES.contains(e.getErrorCode()))
        .isPresent();
  }

  /** PostgreSQL's CREATE TABLE IF NOT EXISTS can lose a race, and then fails on a catalog's key. */
  static boolean isCreatedByRival(SQLException thrown) {
    return DUPLICATE_STATES.contains(thrown.getSQLState());
  }

  static Optional<SQLException> find(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof SQLException e) {
        return Optional.of(e);
      }
    }
    return Optional.empty();
  }
}
