package io.txbox.migrations;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that a release gives to tables and, on PostgreSQL, where these share one space of names
 * with much else, to indexes. What has such a name in the schema must be ours.
 */
final class Names {

  private static final Pattern GIVEN =
      Pattern.compile(
          "^-- (?<version>\\d+)-"
              + "|^CREATE TABLE (?<table>\\w+)"
              + "|CONSTRAINT (?<key>\\w+) (?:PRIMARY KEY|UNIQUE)"
              + "|^CREATE (?:UNIQUE )?INDEX (?<index>\\w+) ON (?<on>\\w+)",
          Pattern.MULTILINE);

  // Some columns of Liquibase's, whose types are its own business.
  private static final Structure BOOKKEEPING =
      Structure.parse(
          """
          inbox_changelog | column id | any
          inbox_changelog | column author | any
          inbox_changelog | column filename | any
          inbox_changelog | column orderexecuted | any
          inbox_changelog | column exectype | any
          inbox_changelog | column md5sum | any
          inbox_changelog_lock | column id | any
          inbox_changelog_lock | column locked | any
          inbox_changelog_lock | column lockgranted | any
          inbox_changelog_lock | column lockedby | any
          """);

  private static final String IN_USE =
      """
      SELECT c.relname, c.relkind::text, COALESCE(t.relname, '')
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
      WHERE n.nspname = ? AND c.relname = ANY (?)
      UNION ALL
      SELECT y.typname, 'type', '' FROM pg_catalog.pg_type y JOIN pg_catalog.pg_namespace n ON n.oid = y.typnamespace
      WHERE y.typrelid = 0 AND n.nspname = ? AND y.typname = ANY (?)
      """;

  private final Session session;
  private final Map<String, Name> names;

  private Names(Session session, Map<String, Name> names) {
    this.session = session;
    this.names = names;
  }

  /**
   * A name that is given.
   *
   * @param version the version that brings it, 0 for the bookkeeping
   * @param table itself, or for an index its table
   */
  private record Name(int version, String name, String table) {
    boolean isTable() {
      return name.equals(table);
    }
  }

  static Names of(Session session, Release release) {
    Map<String, Name> names = new LinkedHashMap<>();
    add(names, 0, Changelog.TABLE, Changelog.TABLE);
    add(names, 0, ChangelogLock.TABLE, ChangelogLock.TABLE);
    add(names, 0, ChangelogLock.KEY, ChangelogLock.TABLE);
    Matcher given = GIVEN.matcher(release.plainSql(session.vendor()));
    int version = 0;
    String table = "";
    while (given.find()) {
      if (given.group("version") != null) {
        version = Integer.parseInt(given.group("version"));
      } else if (given.group("table") != null) {
        table = given.group("table");
        add(names, version, table, table);
      } else if (given.group("key") != null) {
        add(names, version, given.group("key"), table);
      } else {
        add(names, version, given.group("index"), given.group("on"));
      }
    }
    return new Names(session, names);
  }

  private static void add(Map<String, Name> names, int version, String name, String table) {
    names.put(name, new Name(version, name, table));
  }

  /**
   * Refuses a schema in which a name of ours is used by something that no migration of ours has
   * made. A table is ours if the changelog says so, if it looks like ours (the plain SQL was
   * applied, or MySQL's DDL was interrupted), or if the schema holds a version that has it, so that
   * somebody has changed our table.
   */
  void refuseForeign(Inspection inspection) throws SQLException {
    refuseOtherKinds();
    refuseForeignBookkeeping();
    Set<String> changesetsRun = ChangelogTable.changesets(session);
    for (Name name : names.values()) {
      if (name.version() == 0 || !name.isTable() || name.version() <= inspection.version()) {
        continue;
      }
      String changeset = name.version() + "-" + name.name().replace('_', '-');
      List<String> foreign = inspection.differencesOfPresent(name.name());
      if (!foreign.isEmpty() && !changesetsRun.contains(changeset)) {
        throw new TableTakenException(session, name.name(), foreign);
      }
    }
  }

  private void refuseForeignBookkeeping() throws SQLException {
    Structure actual = StructureReader.read(session, BOOKKEEPING.tables());
    for (String table : BOOKKEEPING.tables()) {
      if (!actual.has(table)) {
        continue;
      }
      List<String> foreign = new ArrayList<>(BOOKKEEPING.missing(actual, table));
      if (table.equals(ChangelogLock.TABLE) && !actual.has(table, "primary key")) {
        foreign.add("table " + table + ": primary key is missing");
      }
      if (foreign.isEmpty() && table.equals(Changelog.TABLE)) {
        ChangelogTable.foreignFiles(session)
            .forEach(file -> foreign.add("table " + table + ": it holds changesets of " + file));
      }
      if (!foreign.isEmpty()) {
        throw new TableTakenException(session, table, foreign);
      }
    }
  }

  /**
   * On MySQL a name of a table can be taken only by a table or a view, which are read as tables.
   */
  private void refuseOtherKinds() throws SQLException {
    if (session.vendor() != Vendor.POSTGRESQL) {
      return;
    }
    Array wanted = session.connection().createArrayOf("text", names.keySet().toArray());
    try (PreparedStatement statement = session.prepare(IN_USE)) {
      for (int i = 0; i < 2; i++) {
        statement.setString(2 * i + 1, session.schema());
        statement.setArray(2 * i + 2, wanted);
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          refuseOtherKind(rows.getString(1), rows.getString(2), rows.getString(3));
        }
      }
    }
  }

  private void refuseOtherKind(String name, String kind, String indexed) {
    Name ours = names.get(name);
    String is =
        switch (kind) {
          case "r", "p" -> "a table";
          case "i", "I" -> "an index of the table " + indexed;
          case "v" -> "a view";
          case "m" -> "a materialized view";
          case "f" -> "a foreign table";
          case "S" -> "a sequence";
          default -> "a type";
        };
    boolean fits =
        ours == null
            || (ours.isTable()
                ? is.equals("a table")
                : is.equals("an index of the table " + ours.table()));
    if (!fits) {
      throw new TableTakenException(session, name, List.of(name + " is " + is));
    }
  }
}
