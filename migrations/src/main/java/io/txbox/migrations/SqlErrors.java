package io.txbox.migrations;

import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** Tells errors apart by SQLState and vendor code, along the cause chain. */
final class SqlErrors {

  private static final Set<String> NO_RIGHTS_STATES = Set.of("42501");
  private static final Set<Integer> NO_RIGHTS_CODES = Set.of(1044, 1142, 1227);
  private static final Set<String> DUPLICATE_STATES = Set.of("23505", "42P07", "42710");

  // A row or table that is locked, was changed or dropped meanwhile, or a timeout of the role's.
  private static final Set<String> PASSING_STATES =
      Set.of("40001", "40P01", "55P03", "57014", "42P01");
  private static final Set<Integer> PASSING_CODES = Set.of(1205, 1213, 3024, 1317, 1146);
  private static final Set<String> TIMEOUT_STATES = Set.of("55P03", "57014");
  private static final Set<Integer> TIMEOUT_CODES = Set.of(1205, 3024, 1317);
  private static final String READ_ONLY_STATE = "25006";
  private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836);
  private static final String NO_TABLE_STATE = "42P01";
  private static final int NO_TABLE_CODE = 1146;

  private SqlErrors() {}

  /** Whether the same statement may succeed a moment later. */
  static boolean isPassing(SQLException thrown, Vendor vendor) {
    return vendor == Vendor.POSTGRESQL
        ? PASSING_STATES.contains(thrown.getSQLState())
        : PASSING_CODES.contains(thrown.getErrorCode());
  }

  /** Whether a statement waited for longer than it may, for whichever reason. */
  static boolean isTimeout(Throwable thrown, Vendor vendor) {
    return find(thrown)
        .filter(
            e ->
                vendor == Vendor.POSTGRESQL
                    ? TIMEOUT_STATES.contains(e.getSQLState())
                    : TIMEOUT_CODES.contains(e.getErrorCode()))
        .isPresent();
  }

  static boolean isReadOnly(Throwable thrown, Vendor vendor) {
    return find(thrown)
        .filter(
            e ->
                vendor == Vendor.POSTGRESQL
                    ? READ_ONLY_STATE.equals(e.getSQLState())
                    : READ_ONLY_CODES.contains(e.getErrorCode()))
        .isPresent();
  }

  static boolean isTableMissing(SQLException thrown, Vendor vendor) {
    return vendor == Vendor.POSTGRESQL
        ? NO_TABLE_STATE.equals(thrown.getSQLState())
        : thrown.getErrorCode() == NO_TABLE_CODE;
  }

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
