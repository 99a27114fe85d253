package io.txbox.mysql;

import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Name;
import org.jooq.impl.DSL;

/**
 * Triggers that refuse each write to a table. They fire after it: those before one also fire for a
 * row that error 1062 then keeps out.
 */
final class WriteTriggers {
  private static final List<String> EVENTS = List.of("insert", "update", "delete");

  private WriteTriggers() {}

  static void create(DSLContext dsl, String table) {
    for (String event : EVENTS) {
      dsl.execute(
          "create trigger {0} after "
              + event
              + " on {1} for each row signal sqlstate '45000' set message_text = 'written'",
          name(table, event),
          DSL.name(table));
    }
  }

  static void drop(DSLContext dsl, String table) {
    EVENTS.forEach(event -> dsl.execute("drop trigger if exists {0}", name(table, event)));
  }

  private static Name name(String table, String event) {
    return DSL.name("refuse_" + event + "_" + table);
  }
}
