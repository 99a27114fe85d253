package io.txbox.inbox;

/**
 * Is told what happens, for metrics and alarms.
 *
 * <p>Called from several threads at once, outside of transactions: an {@link InboxEvent.Ended}
 * event comes after the commit or rollback and before the acknowledgement. It should be quick: the
 * delivery waits for it. What it throws, errors too, is logged and has no effect on the delivery.
 */
@FunctionalInterface
public interface InboxListener {
  /** Is told of an event. */
  void on(InboxEvent event);
}
