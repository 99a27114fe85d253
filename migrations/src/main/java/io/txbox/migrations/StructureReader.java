package io.txbox.migrations;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;

/** Reads the structure of our tables from the database's catalog, which every role may do. */
final class StructureReader {

  // Without the quotes that quote_all_identifiers puts around a type's name; nor by
  // pg_get_indexdef,
  // which waits for whoever has locked the table.
  // pg_catalog, not information_schema: that one hides the tables on which the role has no rights.
  private static final String POSTGRESQL =
      """
      WITH ours AS (
        SELECT c.oid, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ? AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      )
      SELECT t.relname, 'column ' || a.attname,
        replace(pg_catalog.format_type(a.atttypid, a.atttypmod), '"', '')
          || CASE WHEN a.attcollation = 0 THEN '' ELSE ' COLLATE "' || l.collname || '"' END
          || CASE WHEN a.attidentity = '' THEN '' ELSE ' IDENTITY' END
          || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE ' NULL' END
          || CASE WHEN a.atthasdef THEN ' DEFAULT' ELSE '' END
      FROM ours t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
      UNION ALL
      SELECT t.relname,
        CASE WHEN i.indisprimary THEN 'primary key' ELSE
          CASE WHEN i.indisunique THEN 'unique key (' ELSE 'index (' END || k.columns || ')' END,
        CASE WHEN i.indisprimary THEN '(' || k.columns || ')' ELSE 'present' END
      FROM ours t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid AND i.indisvalid AND i.indpred IS NULL
      CROSS JOIN LATERAL (
        SELECT string_agg(COALESCE(a.attname, 'an expression'), ', ' ORDER BY p) AS columns
        FROM generate_series(0, i.indnkeyatts - 1) AS p
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[p]
      ) k
      UNION ALL
      SELECT t.relname, 'check ' || c.conname, 'present' FROM ours t JOIN pg_catalog.pg_constraint c
        ON c.conrelid = t.oid AND c.contype = 'c'
      """;

  // The display width of integers, which MariaDB still shows, says nothing; nor does the case of a
  // column's name, which Liquibase writes in capitals. No backslash: sql_mode decides what it
  // means.
  private static final String MYSQL =
      """
      SELECT table_name, CONCAT('column ', LOWER(column_name)),
        CONCAT(REGEXP_REPLACE(column_type, 'int[(][0-9]+[)]', 'int'),
          CASE WHEN collation_name IS NULL THEN '' ELSE CONCAT(' COLLATE ', collation_name) END,
          CASE WHEN extra LIKE '%auto_increment%' THEN ' AUTO_INCREMENT' ELSE '' END,
          CASE WHEN is_nullable = 'NO' THEN ' NOT NULL' ELSE ' NULL' END,
          CASE WHEN column_default IS NULL OR column_default = 'NULL' THEN '' ELSE ' DEFAULT' END)
      FROM information_schema.columns WHERE table_schema = ?
      UNION ALL
      SELECT table_name,
        CASE WHEN index_name = 'PRIMARY' THEN 'primary key'
          ELSE CONCAT(CASE WHEN MAX(non_unique) = 0 THEN 'unique key (' ELSE 'index (' END,
            GROUP_CONCAT(LOWER(column_name) ORDER BY seq_in_index SEPARATOR ', '), ')') END,
        CASE WHEN index_name = 'PRIMARY'
          THEN CONCAT('(', GROUP_CONCAT(LOWER(column_name) ORDER BY seq_in_index SEPARATOR ', '), ')') ELSE 'present' END
      FROM information_schema.statistics WHERE table_schema = ? GROUP BY table_name, index_name
      UNION ALL
      SELECT table_name, 'engine', COALESCE(engine, 'none') FROM information_schema.tables WHERE table_schema = ?
      """;

  private static final int MAX_LOOKS = 20;

  private StructureReader() {}

  /**
   * Reads it, on MySQL until it reads the same twice: there each part of the query sees the catalog
   * as it is by then, and a table that is just being made may have its key and no columns.
   */
  static Structure read(Session session, Collection<String> tables) throws SQLException {
    Structure structure = readOnce(session, tables);
    if (session.vendor() == Vendor.POSTGRESQL) {
      return structure;
    }
    for (int look = 1; look < MAX_LOOKS; look++) {
      Structure again = readOnce(session, tables);
      if (again.toString().equals(structure.toString())) {
        return again;
      }
      structure = again;
    }
    return structure;
  }

  private static Structure readOnce(Session session, Collection<String> tables)
      throws SQLException {
    boolean postgres = session.vendor() == Vendor.POSTGRESQL;
    Structure structure = new Structure();
    try (PreparedStatement statement = session.prepare(postgres ? POSTGRESQL : MYSQL)) {
      for (int i = 1; i <= (postgres ? 1 : 3); i++) {
        statement.setString(i, session.schema());
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (tables.contains(rows.getString(1))) {
            structure.add(rows.getString(1), rows.getString(2), rows.getString(3));
          }
        }
      }
    }
    return structure;
  }
}
