package io.txbox.benchmarks;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.SQLDataType.VARCHAR;

import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;

/**
 * Deduplicates as is often done: a row that says CONSUMING, committed; the effects, committed; the
 * row says CONSUMED, committed. A crash between two of them loses or doubles the effects.
 */
final class StatusTable {
  private static final Table<?> STATUS = table(name("consume_status"));
  private static final Field<String> ID = field(name("id"), VARCHAR);
  private static final Field<String> STATE = field(name("state"), VARCHAR);

  private final DSLContext dsl;
  private final Cost cost;

  StatusTable(DSLContext dsl, Cost cost) {
    this.dsl = dsl;
    this.cost = cost;
  }

  void consume(Payment payment) {
    int inserted =
        dsl.insertInto(STATUS, ID, STATE)
            .values(payment.id(), "CONSUMING")
            .onConflictDoNothing()
            .execute();
    if (inserted == 0) {
      return;
    }
    dsl.transaction(tx -> payment.handle(cost, tx.dsl()));
    dsl.execute("update consume_status set state = 'CONSUMED' where id = ?", payment.id());
  }
}
