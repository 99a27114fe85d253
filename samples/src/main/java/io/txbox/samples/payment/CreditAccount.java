package io.txbox.samples.payment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import org.jooq.DSLContext;

// README: handler
/** Credits a payment to the account that it names; its body is the amount in cents. */
public final class CreditAccount implements InboxHandler {
  @Override
  public void handle(InboxMessage message, DSLContext tx) {
    String account = message.property("ACCOUNT").orElseThrow();
    long cents = Long.parseLong(new String(message.body(), UTF_8));
    int credited =
        tx.execute("update account set balance = balance + ? where id = ?", cents, account);
    if (credited == 0) {
      throw new IllegalStateException("There is no account " + account);
    }
  }
}
// README: end
