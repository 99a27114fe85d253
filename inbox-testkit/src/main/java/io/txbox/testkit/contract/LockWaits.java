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
          case MYSQL, MARIADB ->
              "select count(*) from information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
          default -> throw new IllegalArgumentException("no contract for " + family);
        };
    return dsl.fetchSingle(sql).get(0, Integer.class);
  }
}
