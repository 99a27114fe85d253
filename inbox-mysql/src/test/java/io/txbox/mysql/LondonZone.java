package io.txbox.mysql;

import org.jooq.DSLContext;

/**
 * The daylight saving of London in 2026, for a server that was started without tables of time
 * zones: in spring the hour from 01:00 is left out, in autumn it comes twice.
 */
final class LondonZone {
  static final String NAME = "Txbox/London";

  private static final int ID = 7_001;
  private static final long SPRING = 1_774_746_000; // 2026-03-29T01:00:00Z
  private static final long AUTUMN = 1_792_890_000; // 2026-10-25T01:00:00Z

  private LondonZone() {}

  static void load(DSLContext dsl) {
    dsl.transaction(
        tx -> {
          tx.dsl().execute("DELETE FROM mysql.time_zone WHERE time_zone_id = " + ID);
          for (String table : new String[] {"name", "transition", "transition_type"}) {
            tx.dsl()
                .execute("DELETE FROM mysql.time_zone_" + table + " WHERE time_zone_id = " + ID);
          }
          tx.dsl().execute("INSERT INTO mysql.time_zone VALUES (" + ID + ", 'N')");
          tx.dsl().execute("INSERT INTO mysql.time_zone_name VALUES ('" + NAME + "', " + ID + ")");
          tx.dsl()
              .execute(
                  "INSERT INTO mysql.time_zone_transition_type VALUES (%1$d, 0, 0, 0, 'GMT'), (%1$d, 1, 3600, 1, 'BST')"
                      .formatted(ID));
          tx.dsl()
              .execute(
                  "INSERT INTO mysql.time_zone_transition VALUES (%1$d, 0, 0), (%1$d, %2$d, 1), (%1$d, %3$d, 0)"
                      .formatted(ID, SPRING, AUTUMN));
        });
  }
}
