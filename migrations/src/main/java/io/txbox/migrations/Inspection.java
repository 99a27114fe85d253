package io.txbox.migrations;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one look at the schema found, by reading alone: neither Liquibase nor its tables are needed,
 * so that it also holds for a schema that was made by the plain SQL.
 *
 * @param version the highest version that is complete, 0 if none is
 */
record Inspection(
    Session session, Release release, Structure actual, int version, List<String> differences) {

  /** The version that the changelog of this library ends with. */
  static final int KNOWN_VERSION = 1;

  private static final String VERSION_TABLE = "inbox_schema";

  // How often a look begins again since a rollback elsewhere has dropped what it had just seen.
  private static final int MAX_LOOKS = 10;

  static Inspection of(Session session, Release release) throws SQLException {
    for (int look = 1; ; look++) {
      try {
        return look(session, release);
      } catch (SQLException e) {
        if (!SqlErrors.isTableMissing(e, session.vendor()) || look == MAX_LOOKS) {
          throw e;
        }
      }
    }
  }

  private static Inspection look(Session session, Release release) throws SQLException {
    Structure expected = release.structure(session.vendor());
    Structure actual = StructureReader.read(session, expected.tables());
    List<String> differences = new ArrayList<>();
    int version = 0;
    if (expected.differences(actual, VERSION_TABLE).isEmpty()) {
      try {
        version = version(session);
      } catch (SQLException e) {
        if (!SqlErrors.isMissingRights(e, session.vendor())) {
          throw e;
        }
        differences.add(unreadable(session));
        return new Inspection(session, release, actual, 0, differences);
      }
    }
    differences.addAll(
        version > release.version() ? expected.missing(actual) : expected.differences(actual));
    if (actual.has(VERSION_TABLE)) {
      versionDifference(version, release.version()).ifPresent(differences::add);
    }
    return new Inspection(session, release, actual, version, differences);
  }

  private static String unreadable(Session session) throws SQLException {
    String role = session.vendor().quoted(session.role());
    String usage =
        session.may("USAGE")
            ? ""
            : "GRANT USAGE ON SCHEMA %s TO %s; "
                .formatted(session.vendor().quoted(session.schema()), role);
    return "table %s: the role %s may not read it (%sGRANT SELECT ON %s TO %s)"
        .formatted(VERSION_TABLE, session.role(), usage, session.table(VERSION_TABLE), role);
  }

  boolean fits() {
    return differences.isEmpty();
  }

  /** Whether the schema is from the future, as far as this library can tell. */
  boolean isTooNew() {
    return version > release.version() + 1;
  }

  /** What differs in a table if there is one of that name. */
  List<String> differencesOfPresent(String table) {
    return actual.has(table)
        ? release.structure(session.vendor()).differences(actual, table)
        : List.of();
  }

  /** Returns itself if the schema fits. */
  Inspection orMismatch() throws SQLException {
    if (!fits()) {
      throw mismatch();
    }
    return this;
  }

  SchemaMismatchException mismatch() throws SQLException {
    return new SchemaMismatchException(session.schema(), differences, remedy());
  }

  /** Returns itself if this library knows all that there is to take back. */
  Inspection orTooNewToRollBack() {
    if (version > release.version()) {
      throw new SchemaMismatchException(
          session.schema(),
          List.of(
              "the schema's version is %d, this library can take back %d"
                  .formatted(version, release.version())),
          "Roll it back with the version of the library that has migrated it.");
    }
    return this;
  }

  private String remedy() throws SQLException {
    String schema = session.schema();
    if (isTooNew()) {
      return "Use a newer version of the library with this schema.";
    }
    if (version < release.version()) {
      return """
          Bring it up to date with: %s
          or from Java: Migrations.migrate(dataSource, %s); or by hand, with the output of: %s"""
          .formatted(
              Commands.migrate(session),
              Commands.javaLiteral(schema),
              Commands.sql(session.vendor()));
    }
    return """
        The version is complete, so that the tables were changed after the migration, which cannot undo that: \
        do it by hand. How they should be: %s"""
        .formatted(Commands.sql(session.vendor()));
  }

  private static Optional<String> versionDifference(int version, int needed) {
    if (version == 0) {
      return Optional.of(
          "table inbox_schema: it holds no version, so that the last changeset, %d-version, has not run"
              .formatted(needed));
    }
    if (version < needed) {
      return Optional.of(
          "the schema's version is %d, this library needs %d".formatted(version, needed));
    }
    if (version > needed + 1) {
      return Optional.of(
          "the schema's version is %d, this library runs on %d and %d"
              .formatted(version, needed, needed + 1));
    }
    return Optional.empty();
  }

  private static int version(Session session) throws SQLException {
    String version = session.query("SELECT max(version) FROM " + session.table(VERSION_TABLE));
    return version == null ? 0 : Integer.parseInt(version);
  }
}
