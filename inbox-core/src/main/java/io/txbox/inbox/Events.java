package io.txbox.inbox;

import io.txbox.store.ParkReason;
import java.util.List;
import java.util.Locale;
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
        log.warn(
            "{} - The listener {} failed on {}",
            consumerGroup,
            listener,
            event,
            Failures.printable(e));
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
          conflict.message(),
          conflict.key().value());
    } else if (event instanceof InboxEvent.Late late) {
      log.warn(
          "{} - {} came late ({}): it has no row, but is of before {}, so that it may be a copy of"
              + " a message whose row was purged.",
          consumerGroup,
          late.message(),
          nameOf(late.policy()),
          late.lateBefore());
    } else if (event instanceof InboxEvent.Parked parked && parked.reason() != ParkReason.LATE) {
      log.warn(
          "{} - {} is parked ({}): it waits in inbox_parked, with the dedup key '{}', for somebody"
              + " to look at it",
          consumerGroup,
          parked.message(),
          nameOf(parked.reason()),
          parked.key().value(),
          parked.failure().orElse(null));
    } else if (event instanceof InboxEvent.Busy busy) {
      log.info(
          "{} - {} waits for {}: another transaction works on its dedup key '{}'",
          consumerGroup,
          busy.message(),
          busy.waited(),
          busy.key().value());
    } else if (event instanceof InboxEvent.Paused paused) {
      logPause(paused);
    } else if (event instanceof InboxEvent.Resumed resumed) {
      log.info(
          "{} - Goes on after {} ({})", consumerGroup, resumed.after(), nameOf(resumed.reason()));
    } else {
      log.debug("{} - {}", consumerGroup, event);
    }
  }

  private void logPause(InboxEvent.Paused paused) {
    if (paused.cause().isEmpty()) {
      log.info("{} - Pauses ({})", consumerGroup, nameOf(paused.reason()));
      return;
    }
    log.warn(
        "{} - Pauses: the database is out of order. Whether it takes writes is tried now and then;"
            + " no message uses an attempt.",
        consumerGroup,
        paused.cause().get());
  }

  private static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
