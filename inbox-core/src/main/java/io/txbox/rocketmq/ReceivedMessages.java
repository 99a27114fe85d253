package io.txbox.rocketmq;

import io.txbox.InboxMessage;
import io.txbox.QueueId;
import java.time.Instant;
import org.apache.rocketmq.common.message.MessageExt;

/** Makes an {@link InboxMessage} of what RocketMQ's client delivers. */
final class ReceivedMessages {
  private ReceivedMessages() {}

  /** The client has put back a retry copy's topic, and taken off the namespace, by now. */
  static InboxMessage of(MessageExt message) {
    InboxMessage.Builder received =
        InboxMessage.builder(message.getTopic())
            .properties(message.getProperties())
            .messageId(message.getMsgId())
            .bornAt(Instant.ofEpochMilli(message.getBornTimestamp()))
            .storedAt(Instant.ofEpochMilli(message.getStoreTimestamp()))
            .queue(new QueueId(message.getBrokerName(), message.getQueueId()))
            .offset(message.getQueueOffset())
            .attempt(message.getReconsumeTimes() + 1);
    byte[] body = message.getBody();
    return (body == null ? received : received.body(body)).build();
  }
}
