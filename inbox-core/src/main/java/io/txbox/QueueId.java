package io.txbox;

import java.util.Objects;

/**
 * Names the broker queue that a message was read from.
 *
 * <p>It never takes part in a message's identity: a retry copy is read from another queue than the
 * first delivery, and RocketMQ's client shows it under the original topic, so that (topic, queue,
 * offset) of a copy can equal those of another message.
 *
 * @param broker the broker's name; empty for a message that came from no broker
 * @param number the queue's number on that broker
 */
public record QueueId(String broker, int number) {
  static final QueueId NONE = new QueueId("", 0);

  public QueueId {
    Objects.requireNonNull(broker, "broker");
  }

  @Override
  public String toString() {
    return broker + "/" + number;
  }
}
