package io.txbox.benchmarks;

import java.util.List;

/**
 * The SQL by which a database's inbox table is filled, and asked about what it takes.
 *
 * @param beforeLoad what is taken away before many rows are written at once
 * @param fill writes rows; see {@link Rows#fill}
 * @param afterLoad what puts it back
 * @param tableBytes the query for what the rows take, on disk
 * @param indexBytes the query for what the indexes beside them take
 * @param dead the query for how many deleted rows the server still keeps
 * @param deadlocks the query for how many deadlocks there were
 */
record Storage(
    List<String> beforeLoad,
    String fill,
    List<String> afterLoad,
    String tableBytes,
    String indexBytes,
    String dead,
    String deadlocks) {
  private static final String COLUMNS =
      "(message_time, processed_at, body_fingerprint, scope_id, state, dedup_key, message_id)";

  /** In the places: scope, from, count, time of the first, time they span, length of the key. */
  private static final String POSTGRES_FILL =
      "insert into inbox "
          + COLUMNS
          + " select ms, ms, n, %1$d, 0, left(repeat(md5(n::text), 8), %6$d), upper(md5(n::text))"
          + " from (select n, %4$d + (n - %2$d) * %5$d / %3$d as ms"
          + " from generate_series(%2$d::bigint, %2$d + %3$d - 1) as n) as numbered";

  private static final String DIGIT =
      "(select 0 as d union all select 1 union all select 2 union all select 3 union all select 4"
          + " union all select 5 union all select 6 union all select 7 union all select 8 union all"
          + " select 9)";

  private static final String INNODB_FILL =
      "insert into inbox "
          + COLUMNS
          + " select ms, ms, n, %1$d, 0, left(repeat(left(sha2(n, 256), 32), 8), %6$d),"
          + " upper(left(sha2(n, 256), 32))"
          + " from (select %2$d + i as n, %4$d + i * %5$d div %3$d as ms from"
          + " (select a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d as i from "
          + DIGIT
          + " a, "
          + DIGIT
          + " b, "
          + DIGIT
          + " c, "
          + DIGIT
          + " e, "
          + DIGIT
          + " f) as numbers where i < %3$d) as numbered";

  /** As many as {@link #INNODB_FILL} can count. */
  static final int ROWS_AT_ONCE = 100_000;

  static final Storage POSTGRES =
      new Storage(
          List.of(
              "alter system set max_wal_size = '8GB'",
              "select pg_reload_conf()",
              "alter table inbox drop constraint inbox_pkey",
              "drop index inbox_state_scope_id_processed_at_idx"),
          POSTGRES_FILL,
          List.of(
              "set maintenance_work_mem = '1GB'",
              "alter table inbox add constraint inbox_pkey primary key (scope_id, dedup_key)",
              "create index inbox_state_scope_id_processed_at_idx"
                  + " on inbox (state, scope_id, processed_at)",
              "reset maintenance_work_mem",
              "alter system reset max_wal_size",
              "select pg_reload_conf()"),
          "select pg_table_size('inbox')",
          "select pg_indexes_size('inbox')",
          "select n_dead_tup from pg_stat_user_tables where relname = 'inbox'",
          "select deadlocks from pg_stat_database where datname = current_database()");

  static final Storage MYSQL =
      innoDb(
          "select count from information_schema.innodb_metrics where name = '%s'",
          "lock_deadlocks");

  static final Storage MARIADB =
      innoDb(
          "select variable_value from information_schema.global_status where variable_name = '%s'",
          "innodb_deadlocks");

  /** Indexes stay where they are: the table is one of them. */
  private static Storage innoDb(String status, String deadlocks) {
    String pages =
        "select coalesce(sum(stat_value), 0) * @@innodb_page_size from mysql.innodb_index_stats"
            + " where database_name = database() and table_name = 'inbox' and stat_name = 'size'"
            + " and index_name ";
    return new Storage(
        List.of(),
        INNODB_FILL,
        List.of(),
        pages + "= 'PRIMARY'",
        pages + "<> 'PRIMARY'",
        "select count from information_schema.innodb_metrics where name = 'trx_rseg_history_len'",
        status.formatted(deadlocks));
  }
}
