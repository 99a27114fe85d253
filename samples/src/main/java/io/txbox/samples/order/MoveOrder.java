package io.txbox.samples.order;

import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import org.jooq.DSLContext;

/**
 * Moves an order on when it was paid, and back when the payment was reversed.
 *
 * <p>The conditional update keeps the machine to its transitions. It does not recognise a copy: one
 * of PAID that comes after the reversal finds the order NEW again.
 */
public final class MoveOrder implements InboxHandler {
  @Override
  public void handle(InboxMessage message, DSLContext tx) {
    String order = message.property("ORDER").orElseThrow();
    String event = message.property("EVENT").orElseThrow();
    switch (event) {
      case "PAID" -> move(tx, order, "NEW", "PAID");
      case "REVERSED" -> move(tx, order, "PAID", "NEW");
      default -> throw new IllegalArgumentException("An order has no event " + event);
    }
  }

  private static void move(DSLContext tx, String order, String from, String to) {
    int moved =
        tx.execute("update orders set state = ? where id = ? and state = ?", to, order, from);
    if (moved == 0) {
      throw new IllegalStateException("There is no order %s that is %s".formatted(order, from));
    }
  }
}
