package io.txbox.testkit.contract;

import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.DSLContext;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;

/** Counts the transactions that begin and commit. Thread-safe. */
final class CountingTransactions implements TransactionProvider {
  private final TransactionProvider transactions;
  private final DSLContext dsl;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger committed = new AtomicInteger();

  CountingTransactions(DSLContext dsl) {
    this.transactions = dsl.configuration().transactionProvider();
    this.dsl = dsl.configuration().derive(this).dsl();
  }

  /** Returns jOOQ whose transactions are counted. */
  DSLContext dsl() {
    return dsl;
  }

  int begun() {
    return begun.get();
  }

  int committed() {
    return committed.get();
  }

  @Override
  public void begin(TransactionContext context) {
    begun.incrementAndGet();
    transactions.begin(context);
  }

  @Override
  public void commit(TransactionContext context) {
    transactions.commit(context);
    committed.incrementAndGet();
  }

  @Override
  public void rollback(TransactionContext context) {
    transactions.rollback(context);
  }
}
