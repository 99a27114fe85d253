package io.txbox;

import org.jooq.DSLContext;

/**
 * Does what a message asks for, in the transaction that also records the message.
 *
 * <p>All that it writes through {@code tx} is committed together with the inbox row, or not at all
 * (invariant ATOMIC). What it does elsewhere (another connection, HTTP) is not undone and may be
 * repeated.
 *
 * <p>Called from several threads at once, for different dedup keys. One key is handled by one
 * transaction at a time, over all instances of the consumer group.
 */
@FunctionalInterface
public interface InboxHandler {
  /**
   * Handles a message that was not handled before.
   *
   * @param message the message
   * @param tx the transaction. It commits after this method has returned and rolls back if it
   *     throws. {@code tx.transaction(…)} opens a savepoint. Committing, rolling back or ending it
   *     in any other way is refused. An SQL error that is caught here still fails the message,
   *     unless it was rolled back by {@code tx.transaction(…)} or {@code Connection.rollback} to a
   *     savepoint. It is dead once this method has returned.
   * @throws Exception if the message cannot be handled now: all is rolled back and the broker
   *     delivers it again later
   */
  void handle(InboxMessage message, DSLContext tx) throws Exception;
}
