package io.txbox.testkit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BrokerIT {

  /** A client asks for routes every 30 s and shares out the queues every 20 s (rocketmq-client). */
  static final Duration CLIENT_ASKS_AGAIN = Duration.ofSeconds(20);

  @RegisterExtension static final BrokerExtension broker = BrokerExtension.shared();

  @Test
  void topicIsUsableAtOnce() {
    Instant begin = Instant.now();
    String topic = broker.newTopic("quick", 2);
    try (TestProducer producer = TestProducer.connect(broker.broker());
        TestConsumer consumer = new TestConsumer(broker.broker(), broker.newGroup("g"), topic)) {
      producer.message(topic, "hello").send();
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 1);
    }
    assertThat(Duration.between(begin, Instant.now())).isLessThan(CLIENT_ASKS_AGAIN);
  }

  @Test
  void forgedBornTimeIdAndQueueArrive() {
    String topic = broker.newTopic("forged", 4);
    Instant bornAt = Instant.parse("2020-02-29T12:34:56.789Z");
    try (TestProducer producer = TestProducer.connect(broker.broker());
        TestConsumer consumer = new TestConsumer(broker.broker(), broker.newGroup("g"), topic)) {
      producer
          .message(topic, "hello")
          .key("k1")
          .tag("t1")
          .property("BIZ_ID", "7")
          .bornAt(bornAt)
          .messageId("0123-chosen")
          .queue(3)
          .send();
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 1);
      MessageExt message = consumer.received().element();
      assertThat(message.getBornTimestamp()).isEqualTo(bornAt.toEpochMilli());
      assertThat(message.getMsgId()).isEqualTo("0123-chosen");
      assertThat(message.getQueueId()).isEqualTo(3);
      assertThat(message.getKeys()).isEqualTo("k1");
      assertThat(message.getTags()).isEqualTo("t1");
      assertThat(message.getUserProperty("BIZ_ID")).isEqualTo("7");
      assertThat(message.getProperties()).doesNotContainKey(BornTimeHook.MARK);
    }
  }

  @Test
  void sendsTheSameMessageTwiceUnderOneId() {
    String topic = broker.newTopic("twice", 1);
    try (TestProducer producer = TestProducer.connect(broker.broker());
        TestConsumer consumer = new TestConsumer(broker.broker(), broker.newGroup("g"), topic)) {
      ForgedMessage message = producer.message(topic, "hello").messageId("same");
      message.send();
      message.send();
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 2);
      assertThat(consumer.received()).extracting(MessageExt::getMsgId).containsOnly("same");
    }
  }

  @Test
  void tellsSetsAndForgetsCommittedOffsets() {
    TestBroker own = broker.broker();
    String topic = broker.newTopic("offsets", 2);
    String group = broker.newGroup("g");
    try (TestProducer producer = TestProducer.connect(own)) {
      producer.message(topic, "1").queue(1).send();
      producer.message(topic, "2").queue(1).send();
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> own.maxOffset(topic, 1) == 2);
    assertThat(own.maxOffset(topic, 0)).isZero();
    assertThat(own.committedOffset(group, topic, 1)).isEmpty();

    try (TestConsumer consumer = new TestConsumer(own, group, topic)) {
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 2);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> own.committedOffset(group, topic, 1).equals(OptionalLong.of(2)));

    own.resetOffsets(group, topic, 0);
    assertThat(own.committedOffset(group, topic, 1)).hasValue(0);
    try (TestConsumer consumer = new TestConsumer(own, group, topic)) {
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 2);
    }

    own.deleteOffsets(group);
    assertThat(own.committedOffset(group, topic, 1)).isEmpty();
  }

  @Test
  void redeliversQuicklyAndCountsDeadLetters() {
    TestBroker own = broker.broker();
    String topic = broker.newTopic("retried", 1);
    String group = broker.newGroup("g");
    own.configureGroup(group, settings -> settings.setRetryQueueNums(2));
    assertThat(own.group(group).getRetryQueueNums()).isEqualTo(2);
    try (TestProducer producer = TestProducer.connect(own);
        TestConsumer consumer =
            new TestConsumer(
                own, group, topic, message -> ConsumeConcurrentlyStatus.RECONSUME_LATER)) {
      producer.message(topic, "poison").send();
      await().atMost(Duration.ofMinutes(1)).until(() -> own.deadLetters(group) == 1);
      assertThat(consumer.received()).hasSize(2);
      assertThat(own.redeliveries(group)).isEqualTo(1);
    }
  }

  @Test
  void readsAndChangesTheBrokersConfiguration() {
    TestBroker own = broker.broker();
    assertThat(own.property("messageDelayLevel"))
        .hasValueSatisfying(levels -> assertThat(levels).startsWith("1s 1s"));
    assertThat(own.property("noSuchProperty")).isEmpty();
    own.configure("maxMessageSize", "4000000");
    assertThat(own.property("maxMessageSize")).hasValue("4000000");
  }
}
