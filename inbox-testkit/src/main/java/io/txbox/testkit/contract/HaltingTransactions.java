package io.txbox.testkit.contract;

import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;

/** Transactions that stop the flow before and after their commit. */
final class HaltingTransactions implements TransactionProvider {
  private final TransactionProvider transactions;
  private final Halt halt;

  HaltingTransactions(TransactionProvider transactions, Halt halt) {
    this.transactions = transactions;
    this.halt = halt;
  }

  @Override
  public void begin(TransactionContext context) {
    transactions.begin(context);
  }

  @Override
  public void commit(TransactionContext context) {
    halt.atIfAfter(FlowStep.SCOPE_MISSING, FlowStep.SCOPE_INSERTED);
    transactions.commit(context);
    halt.atIfAfter(FlowStep.HANDLER_RETURNED, FlowStep.COMMIT_RETURNED);
  }

  @Override
  public void rollback(TransactionContext context) {
    transactions.rollback(context);
  }
}
