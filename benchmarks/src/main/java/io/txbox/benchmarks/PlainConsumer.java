package io.txbox.benchmarks;

import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/** RocketMQ's own consumer, with a listener that takes one message at a time. */
final class PlainConsumer implements AutoCloseable {
  private static final long DRAIN_MS = 10_000;

  private final DefaultMQPushConsumer client;

  private PlainConsumer(DefaultMQPushConsumer client) {
    this.client = client;
  }

  static PlainConsumer start(
      String nameServer, String topic, String group, int threads, Consumer<MessageExt> listener)
      throws MQClientException {
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(group);
    client.setNamesrvAddr(nameServer);
    client.setInstanceName(group);
    client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    client.setConsumeThreadMin(threads);
    client.setConsumeThreadMax(threads);
    client.setAwaitTerminationMillisWhenShutdown(DRAIN_MS);
    client.subscribe(topic, "*");
    client.setMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              messages.forEach(listener);
              return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
    client.start();
    return new PlainConsumer(client);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
