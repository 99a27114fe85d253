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
final class TestConsumer implements AutoCloseable {

  private final DefaultMQPushConsumer consumer;
  private final Queue<MessageExt> received = new ConcurrentLinkedQueue<>();

  TestConsumer(TestBroker broker, String group, String topic) {
    this(broker, group, topic, message -> ConsumeConcurrentlyStatus.CONSUME_SUCCESS);
  }

  TestConsumer(
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

  Queue<MessageExt> received() {
    return received;
  }

  @Override
  public void close() {
    consumer.shutdown();
  }
}
