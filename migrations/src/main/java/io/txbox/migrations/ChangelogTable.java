package io.txbox.migrations;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;

/** Reads which changesets have run, without Liquibase. */
final class ChangelogTable {

  private static final String OURS = "io/txbox/";

  private ChangelogTable() {}

  /** The names of the changesets that have run. */
  static Set<String> changesets(Session session) throws SQLException {
    return read(session, "id");
  }

  /** The files of changesets that are not ours, if another Liquibase uses the same table. */
  static Set<String> foreignFiles(Session session) throws SQLException {
    Set<String> files = read(session, "filename");
    files.removeIf(file -> file.startsWith(OURS));
    return files;
  }

  private static Set<String> read(Session session, String column) throws SQLException {
    Set<String> values = new TreeSet<>();
    if (!StructureReader.read(session, Set.of(Changelog.TABLE)).has(Changelog.TABLE)) {
      return values;
    }
    String sql = "SELECT " + column + " FROM " + session.table(Changelog.TABLE);
    try (PreparedStatement statement = session.prepare(sql);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    } catch (SQLException e) {
      if (!SqlErrors.isTableMissing(e, session.vendor())) { // A rollback may just have dropped it.
        throw e;
      }
    }
    return values;
  }
}
