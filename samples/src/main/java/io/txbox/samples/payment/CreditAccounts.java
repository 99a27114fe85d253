package io.txbox.samples.payment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.txbox.BatchInboxHandler;
import io.txbox.InboxMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;

// README: batch
/** Credits all payments of a batch in one statement: each account gets the sum of its own. */
public final class CreditAccounts implements BatchInboxHandler {
  @Override
  public void handle(List<InboxMessage> messages, DSLContext tx) {
    Map<String, Long> sums = new HashMap<>();
    for (InboxMessage message : messages) {
      String account = message.property("ACCOUNT").orElseThrow();
      sums.merge(account, Long.valueOf(new String(message.body(), UTF_8)), Long::sum);
    }
    int credited =
        tx.execute(
            "update account set balance = balance + added.cents"
                + " from unnest(?, ?) as added (id, cents) where account.id = added.id",
            sums.keySet().toArray(String[]::new),
            sums.values().toArray(Long[]::new));
    if (credited < sums.size()) {
      throw new IllegalStateException("One of the accounts is not there: " + sums.keySet());
    }
  }
}
// README: end
