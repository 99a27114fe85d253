package io.txbox.samples.demo;

import io.txbox.InboxMessage;
import io.txbox.inbox.InboxEvent;

/**
 * The end of a delivery, as an instance reports it, in one line.
 *
 * @param copy which of the copies in the broker this was: queue and offset
 */
record Event(Outcome outcome, Topic topic, String messageId, String copy, int attempt) {
  private static final String SEPARATOR = "\t";

  enum Outcome {
    PROCESSED,
    REDELIVERY,
    RESENT,
    CONFLICT,
    /** A naive consumer has noted this message id before. */
    SKIPPED,
    FAILED
  }

  static Event of(Outcome outcome, InboxMessage message) {
    return new Event(
        outcome,
        Topic.valueOf(message.topic()),
        message.messageId(),
        message.queue().number() + "@" + message.offset(),
        message.attempt());
  }

  static Event of(InboxEvent.Ended event) {
    return of(outcome(event), event.message());
  }

  private static Outcome outcome(InboxEvent.Ended event) {
    if (event instanceof InboxEvent.Processed) {
      return Outcome.PROCESSED;
    }
    if (event instanceof InboxEvent.Duplicate duplicate) {
      return switch (duplicate.cause()) {
        case REDELIVERY -> Outcome.REDELIVERY;
        case RESENT -> Outcome.RESENT;
        case CONFLICT -> Outcome.CONFLICT;
      };
    }
    return Outcome.FAILED;
  }

  static Event parse(String line) {
    String[] parts = line.split(SEPARATOR, -1);
    return new Event(
        Outcome.valueOf(parts[0]),
        Topic.valueOf(parts[1]),
        parts[2],
        parts[3],
        Integer.parseInt(parts[4]));
  }

  String line() {
    return String.join(
        SEPARATOR, outcome.name(), topic.name(), messageId, copy, String.valueOf(attempt));
  }

  boolean isDuplicate() {
    return outcome != Outcome.PROCESSED && outcome != Outcome.FAILED;
  }
}
