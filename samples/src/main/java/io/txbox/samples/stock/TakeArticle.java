package io.txbox.samples.stock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import org.jooq.DSLContext;

/**
 * Takes a quantity, the message's body, of an article out of the stock.
 *
 * <p>If another transaction has changed the article since this one read it, this one fails, and the
 * message is delivered again.
 */
public final class TakeArticle implements InboxHandler {
  @Override
  public void handle(InboxMessage message, DSLContext tx) {
    String article = message.property("ARTICLE").orElseThrow();
    long quantity = Long.parseLong(new String(message.body(), UTF_8));
    long version =
        tx.fetchSingle("select version from stock where id = ?", article).get(0, Long.class);
    int taken =
        tx.execute(
            "update stock set quantity = quantity - ?, version = version + 1"
                + " where id = ? and version = ?",
            quantity,
            article,
            version);
    if (taken == 0) {
      throw new IllegalStateException("Another one has changed article " + article);
    }
  }
}
