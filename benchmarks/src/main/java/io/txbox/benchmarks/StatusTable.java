package io.txbox.benchmarks;

import org.jooq.DSLContext;

/**
 * Deduplicates as is often done: a row that says CONSUMING, committed; the effects, committed; the
 * row says CONSUMED, committed. A crash between two of them loses or doubles the effects.
 */
final class StatusTable {
  private final DSLContext dsl;
  private final Cost cost;

  StatusTable(DSLContext dsl, Cost cost) {
    this.dsl = dsl;
    this.cost = cost;
  }

  void consume(Payment payment) {
    int inserted =
        dsl.execute(
            "insert into consume_status (id, state) values (?, 'CONSUMING')"
                + " on conflict do nothing",
            payment.id());
    if (inserted == 0) {
      return;
    }
    dsl.transaction(tx -> payment.handle(cost, tx.dsl()));
    dsl.execute("update consume_status set state = 'CONSUMED' where id = ?", payment.id());
  }
}
