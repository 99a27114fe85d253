package io.txbox.testkit.broker;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/** A plain consumer that remembers what came, and answers as it is told. */
public final class TestConsumer implements AutoCloseable {

  private final DefaultMQPushConsumer consumer;
  private final Queue<MessageExt> received = new ConcurrentLinkedQueue<>();

  public TestConsumer(TestBroker broker, String group, String topic) {
    this(broker, group, topic, message -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
  }

  public TestConsumer(
      TestBroker broker,
      String group,
      String topic,
      Function<MessageExt, ConsumeConcurrentlyStatus> answer) {
    consumer = new DefaultMQPushConsumer(group);
    consumer.setNamesrvAddr(broker.nameServer());
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.setPollNameServerInterval(500);
    consumer.setMaxReconsumeTimes(1);
    consumer.setMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              received.addAll(messages);
              return answer.apply(messages.get(0));
            });
    try {
      consumer.subscribe(topic, "*");
      consumer.start();
    } catch (MQClientException e) {
      throw new IllegalStateException(e);
    }
  }

  public Queue<MessageExt> received() {
    return received;
  }

  /** Returns the client, to ask and tell it more. */
  public DefaultMQPushConsumer client() {
    return consumer;
  }

  /** Stores on the broker what the client would after its 10 s, or at its end. */
  @SuppressWarnings("deprecation") // The client has no other way to be told to.
  public void storeOffsets() {
    consumer.getDefaultMQPushConsumerImpl().persistConsumerOffset();
  }

  @Override
  public void close() {
    consumer.shutdown();
  }
}
