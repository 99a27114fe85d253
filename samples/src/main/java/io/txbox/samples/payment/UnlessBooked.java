package io.txbox.samples.payment;

import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import org.jooq.DSLContext;

// README: cutover
/** Leaves out what the consumer before txbox has handled, by the table in which it noted that. */
public final class UnlessBooked implements InboxHandler {
  private final InboxHandler handler;

  /** Puts it before the handler of the payments. */
  public UnlessBooked(InboxHandler handler) {
    this.handler = handler;
  }

  @Override
  public void handle(InboxMessage message, DSLContext tx) throws Exception {
    String payment = message.property("PAYMENT_ID").orElseThrow();
    if (!tx.fetchExists(tx.selectFrom("booking").where("payment_id = ?", payment))) {
      handler.handle(message, tx);
    }
  }
}
// README: end
