package io.txbox.janitor;

import io.txbox.QueueId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * How far a consumer group has consumed a queue.
 *
 * @param topic the topic, or that of the group's redeliveries
 * @param queue the queue
 * @param redeliveries whether it holds messages that failed, rather than what senders send
 * @param consumedThrough all messages of the queue that were stored before this are consumed; empty
 *     if the queue has a lag and the broker does not know the time
 */
public record QueueProgress(
    String topic, QueueId queue, boolean redeliveries, Optional<Instant> consumedThrough) {
  public QueueProgress {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(consumedThrough, "consumedThrough");
  }
}
