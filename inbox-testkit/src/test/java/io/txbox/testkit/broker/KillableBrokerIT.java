package io.txbox.testkit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KillableBrokerIT {

  @RegisterExtension
  static final KillableBrokerExtension extension = KillableBrokerExtension.perClass();

  @Test
  void keepsMessagesAndOffsetsThroughAKill(KillableBroker broker) {
    String topic = broker.newTopic("kept", 1);
    String group = broker.newGroup("g");
    try (TestProducer producer = TestProducer.connect(broker)) {
      producer.message(topic, "first").send();
      try (TestConsumer consumer = new TestConsumer(broker, group, topic)) {
        await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 1);
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> broker.committedOffset(group, topic, 0).orElse(0) == 1);
      producer.message(topic, "second").messageId("second").send();
      broker.flush();
    }
    long killed = broker.process().pid();
    String address = broker.nameServer();

    broker.kill();
    assertThat(ProcessHandle.of(killed)).isNotPresent();
    broker.restart();

    assertThat(broker.process().pid()).isNotEqualTo(killed);
    assertThat(broker.nameServer()).isEqualTo(address);
    assertThat(broker.committedOffset(group, topic, 0)).hasValue(1);
    try (TestConsumer consumer = new TestConsumer(broker, group, topic)) {
      await().atMost(Duration.ofMinutes(1)).until(() -> !consumer.received().isEmpty());
      assertThat(consumer.received()).extracting(MessageExt::getMsgId).containsExactly("second");
    }
  }

  @Test
  void runningClientsComeBackAfterAKill(KillableBroker broker) {
    String topic = broker.newTopic("back", 1);
    try (TestProducer producer = TestProducer.connect(broker);
        TestConsumer consumer = new TestConsumer(broker, broker.newGroup("g"), topic)) {
      producer.message(topic, "before").send();
      await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 1);
      broker.kill();
      assertThatThrownBy(() -> producer.message(topic, "down").send())
          .isInstanceOf(IllegalStateException.class);
      broker.restart();
      await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> producer.message(topic, "after").messageId("after").send() != null);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> consumer.received().stream().anyMatch(seen -> seen.getMsgId().equals("after")));
    }
  }

  @Test
  void topicIsUsableBeforeAClientWouldAskAgainAfterAColdStart() {
    Instant begin = Instant.now();
    try (KillableBroker broker = TestBroker.inChildJvm()) {
      String topic = broker.newTopic("cold", 2);
      try (TestProducer producer = TestProducer.connect(broker);
          TestConsumer consumer = new TestConsumer(broker, broker.newGroup("g"), topic)) {
        producer.message(topic, "hello").send();
        await().atMost(Duration.ofMinutes(1)).until(() -> consumer.received().size() == 1);
        assertThat(Duration.between(begin, Instant.now())).isLessThan(BrokerIT.CLIENT_ASKS_AGAIN);
      }
    }
  }

  @Test
  void showsTheChildsLogWhenItDoesNotStart() {
    BrokerSettings mistaken = BrokerSettings.defaults().property("noSuchProperty", "1");
    assertThatThrownBy(() -> TestBroker.inChildJvm(mistaken))
        .hasMessageContaining("A broker has no property noSuchProperty");
  }
}
