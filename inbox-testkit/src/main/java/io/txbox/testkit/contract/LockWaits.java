package io.txbox.testkit.contract;

import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** Sees transactions that wait for a lock, so that a test need not guess when one does. */
final class LockWaits {
  private LockWaits() {}

  /** Returns how many transactions on this database wait for another one. */
  static int count(DSLContext dsl) {
    SQLDialect family = dsl.dialect().family();
    String sql =
        switch (family) {
          case POSTGRES ->
              "select count(*) from pg_stat_activity"
                  + " where datname = current_database() and wait_event_type = 'Lock'";
          // Not by innodb_trx, which shows the same until nobody has looked for 0.1 s.
          case MYSQL ->
              "select count(distinct requesting_engine_transaction_id)"
                  + " from performance_schema.data_lock_waits";
          case MARIADB ->
              "select variable_value from information_schema.global_status"
                  + " where variable_name = 'innodb_row_lock_current_waits'";
          default -> throw new IllegalArgumentException("no contract for " + family);
        };
    return dsl.fetchSingle(sql).get(0, Integer.class);
  }
}
