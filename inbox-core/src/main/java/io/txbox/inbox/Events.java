package io.txbox.inbox;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners, and the log, what happens. */
final class Events {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  private final String consumerGroup;
  private final List<InboxListener> listeners;

  Events(String consumerGroup, List<InboxListener> listeners) {
    this.consumerGroup = consumerGroup;
    this.listeners = List.copyOf(listeners);
  }

  void tell(InboxEvent event) {
    log(event);
    for (InboxListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) { // The edge to the user's code: the delivery has ended as it has.
        log.warn("{} - The listener {} failed on {}", consumerGroup, listener, event, e);
      }
    }
  }

  private void log(InboxEvent event) {
    if (event instanceof InboxEvent.Duplicate conflict
        && conflict.cause() == DuplicateCause.CONFLICT) {
      log.warn(
          "{} - {} has the dedup key '{}' of a message with another body and was not handled. If"
              + " they are different messages, the key is not unique: choose another one.",
          consumerGroup,
          event.message(),
          conflict.key().value());
    } else if (event instanceof InboxEvent.Busy busy) {
      log.info(
          "{} - {} waits for {}: another transaction works on its dedup key '{}'",
          consumerGroup,
          event.message(),
          busy.waited(),
          busy.key().value());
    } else {
      log.debug("{} - {}", consumerGroup, event);
    }
  }
}
