package io.txbox.testkit.broker;

import java.time.Instant;
import java.util.List;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * A message in the making. Not thread-safe; each {@link #send} sends it once more, as a sender's
 * retry would.
 */
public final class ForgedMessage {

  private final DefaultMQProducer producer;
  private final Message message;
  private int queue = -1;

  ForgedMessage(DefaultMQProducer producer, Message message) {
    this.producer = producer;
    this.message = message;
  }

  /** Sets the keys, which are one text to RocketMQ, in which blanks separate keys. */
  public ForgedMessage key(String keys) {
    message.setKeys(keys);
    return this;
  }

  /** Sets the tag. */
  public ForgedMessage tag(String tag) {
    message.setTags(tag);
    return this;
  }

  /** Sets a property, also one that RocketMQ keeps for itself. */
  public ForgedMessage property(String name, String value) {
    MessageAccessor.putProperty(message, name, value);
    return this;
  }

  /**
   * Sets the level of the broker's {@code messageDelayLevel}, counted from 1, after which it is
   * delivered.
   */
  public ForgedMessage delayLevel(int level) {
    message.setDelayTimeLevel(level);
    return this;
  }

  /** Forges the born time that the consumer sees. Precise to the millisecond. */
  public ForgedMessage bornAt(Instant time) {
    return property(BornTimeHook.MARK, String.valueOf(time.toEpochMilli()));
  }

  /** Forges the message id (UNIQ_KEY), which RocketMQ otherwise makes up at the first send. */
  public ForgedMessage messageId(String id) {
    return property(MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX, id);
  }

  /** Chooses the queue, counted from 0. */
  public ForgedMessage queue(int number) {
    this.queue = number;
    return this;
  }

  /** Sends the message and returns what the broker says; throws unless it was stored. */
  public SendResult send() {
    try {
      return queue < 0 ? producer.send(message) : producer.send(message, chosenQueue());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while sending to " + message.getTopic(), e);
    } catch (MQClientException | MQBrokerException | RemotingException e) {
      throw new IllegalStateException("Not sent to " + message.getTopic(), e);
    }
  }

  private MessageQueue chosenQueue() throws MQClientException {
    List<MessageQueue> queues = producer.fetchPublishMessageQueues(message.getTopic());
    return queues.stream()
        .filter(candidate -> candidate.getQueueId() == queue)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No queue " + queue + " among " + queues));
  }
}
