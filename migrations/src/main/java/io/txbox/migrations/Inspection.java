package io.txbox.migrations;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one look at the schema found, by reading alone: neither Liquibase nor its tables are needed,
 * so that it also holds for a schema that was made by the plain SQL.
 *
 * @param version the highest version that is complete, 0 if none is
 */
record Inspection(Session session, Structure actual, int version, List<String> differences) {

  /** The version that the changelog of this library ends with. */
  static final int KNOWN_VERSION = 1;

  private static final String VERSION_TABLE = "inbox_schema";

  static Inspection of(Session session) throws SQLException {
    Structure expected = Structure.parse(session.vendor().structure());
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
        differences.add(
            "table %s: the role %s may not read it (GRANT SELECT ON %s TO that role)"
                .formatted(VERSION_TABLE, session.role(), VERSION_TABLE));
        return new Inspection(session, actual, 0, differences);
      }
    }
    differences.addAll(
        version > KNOWN_VERSION ? expected.missing(actual) : expected.differences(actual));
    if (actual.has(VERSION_TABLE)) {
      versionDifference(version).ifPresent(differences::add);
    }
    return new Inspection(session, actual, version, differences);
  }

  boolean fits() {
    return differences.isEmpty();
  }

  /** Whether the schema is from the future, as far as this library can tell. */
  boolean isTooNew() {
    return version > KNOWN_VERSION + 1;
  }

  SchemaMismatchException mismatch() {
    return new SchemaMismatchException(session.schema(), differences, remedy());
  }

  /**
   * Refuses a schema in which a name of ours is used by something that no migration of ours has
   * made. A table is ours if the changelog says so, if it looks like ours (the plain SQL was
   * applied, or MySQL's DDL was interrupted), or if the schema holds a version, so that somebody
   * has changed our table.
   */
  void refuseForeignTables(Set<String> changesetsRun) {
    if (version > 0) {
      return;
    }
    Structure expected = Structure.parse(session.vendor().structure());
    for (String table : expected.tables()) {
      if (!actual.has(table) || changesetsRun.contains(changesetOf(table))) {
        continue;
      }
      List<String> foreign = expected.differences(actual, table);
      if (!foreign.isEmpty()) {
        throw new TableTakenException(session.schema(), table, foreign);
      }
    }
  }

  private String remedy() {
    String schema = session.schema();
    if (isTooNew()) {
      return "Use a newer version of the library with this schema.";
    }
    if (version < KNOWN_VERSION) {
      return """
          Bring it up to date with: %s
          or from Java: Migrations.migrate(dataSource, "%s"); or by hand, with the output of: %s"""
          .formatted(Commands.migrate(schema), schema, Commands.sql(session.vendor()));
    }
    return """
        The version is complete, so that the tables were changed after the migration, which cannot undo that: \
        do it by hand. How they should be: %s"""
        .formatted(Commands.sql(session.vendor()));
  }

  private static Optional<String> versionDifference(int version) {
    if (version == 0) {
      return Optional.of(
          "table inbox_schema: it holds no version, so that the last changeset, %d-version, has not run"
              .formatted(KNOWN_VERSION));
    }
    if (version < KNOWN_VERSION) {
      return Optional.of(
          "the schema's version is %d, this library needs %d".formatted(version, KNOWN_VERSION));
    }
    if (version > KNOWN_VERSION + 1) {
      return Optional.of(
          "the schema's version is %d, this library runs on %d and %d"
              .formatted(version, KNOWN_VERSION, KNOWN_VERSION + 1));
    }
    return Optional.empty();
  }

  private static int version(Session session) throws SQLException {
    String version = session.query("SELECT max(version) FROM inbox_schema");
    return version == null ? 0 : Integer.parseInt(version);
  }

  private static String changesetOf(String table) {
    return table.replace('_', '-');
  }
}
