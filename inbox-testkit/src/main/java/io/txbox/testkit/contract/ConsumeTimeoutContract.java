package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.inbox.InboxEvent;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A handler may take its time. RocketMQ's client sends back, and acknowledges, what is worked on
 * for longer than consumeTimeout, whose unit is minutes: hence the wait.
 */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
public abstract class ConsumeTimeoutContract extends SharedBrokerContract {
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  /** For subclasses. */
  protected ConsumeTimeoutContract() {}

  /**
   * Shows at the same time, by a plain client that begins a moment later, that the client does so:
   * once that one's message has come again, ours would have.
   */
  @Test
  void doesNotSendBackWhatIsStillWorkedOn() throws MQClientException {
    CountDownLatch inHandler = new CountDownLatch(1);
    send(0, "a");
    start(
        (message, tx) -> {
          Effects.handler().handle(message, tx);
          inHandler.countDown();
          mayEnd.await();
        });
    InboxContract.awaitLatch(inHandler);
    AtomicBoolean sentBack = new AtomicBoolean();
    DefaultMQPushConsumer plain = plain(sentBack);

    try {
      await().atMost(Duration.ofMinutes(4)).untilTrue(sentBack);
      storeOffsets();
      assertThat(broker().redeliveries(group)).isZero();
      assertThat(broker().committedOffset(group, topic, 0).orElse(0)).isZero();
    } finally {
      mayEnd.countDown();
      plain.shutdown();
    }

    awaitAllAcknowledged();
    assertThat(events.of(InboxEvent.Ended.class)).hasSize(1);
    assertThat(effects().all()).containsExactly("a");
  }

  /**
   * A client with a consumeTimeout of one minute, whose first delivery does not end till ours may.
   */
  private DefaultMQPushConsumer plain(AtomicBoolean sentBack) throws MQClientException {
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(group + "-plain");
    client.setNamesrvAddr(broker().nameServer());
    client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    client.setPollNameServerInterval(1_000);
    client.setConsumeTimeout(1);
    client.subscribe(topic, "*");
    client.setMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              if (messages.get(0).getReconsumeTimes() > 0) {
                sentBack.set(true);
              } else {
                awaitEnd();
              }
              return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
    client.start();
    return client;
  }

  private void awaitEnd() {
    try {
      mayEnd.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
