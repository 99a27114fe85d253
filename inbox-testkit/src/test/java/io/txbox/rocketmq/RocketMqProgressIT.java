package io.txbox.rocketmq;

import static org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
import static org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus.RECONSUME_LATER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.ProgressUnknownException;
import io.txbox.janitor.QueueProgress;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.BrokerSettings;
import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.broker.TestConsumer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.header.GetConsumeStatsRequestHeader;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RocketMqProgressIT {
  @RegisterExtension
  static final BrokerExtension extension =
      BrokerExtension.own(
          BrokerSettings.defaults()
              .messageDelayLevel("1s 2s 1s 4m")
              .property("fileReservedTime", "5"));

  private static final Optional<Instant> NOW = Optional.of(Instant.parse("2031-05-06T07:08:09Z"));

  private final TestBroker broker = extension.broker();
  private final String topic = broker.newTopic("paid", 2);
  private final String group = broker.newGroup("g");
  private final String retryTopic = "%RETRY%" + group;

  /** A broker takes no offset of a group that it does not know. */
  @BeforeEach
  void createGroup() {
    broker.configureGroup(group, config -> {});
  }

  @Test
  void aQueueWithNothingLeftIsConsumedThroughTheMomentOfTheQuestion() throws Exception {
    send(3);
    broker.setOffset(group, topic, 0, 3);
    // Queue 1 is empty, and nothing was ever committed for it; no redelivery topic is there.
    assertThat(queues()).isEqualTo(Map.of(topic + "/0", NOW, topic + "/1", NOW));
  }

  @Test
  void aGroupThatHasNeverConsumedHasNoProgressWhereThereAreMessages() throws Exception {
    send(1);
    assertThat(queues()).isEqualTo(Map.of(topic + "/0", Optional.empty(), topic + "/1", NOW));
  }

  @Test
  void anOffsetPastTheEndIsNoProgress() throws Exception {
    send(2);
    broker.setOffset(group, topic, 0, 5);
    assertThat(queues()).containsEntry(topic + "/0", Optional.empty());
  }

  @Test
  void aLaggingQueueIsConsumedThroughTheMessageBeforeTheOldestThatIsWorkedOn() throws Exception {
    send(4);
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (TestConsumer consumer =
        new TestConsumer(
            broker,
            group,
            topic,
            message -> {
              if (message.getQueueOffset() == 2) {
                awaitUninterruptibly(mayEnd);
              }
              return CONSUME_SUCCESS;
            })) {
      soon().until(() -> consumer.received().size() == 4);

      soon()
          .untilAsserted(
              () -> {
                consumer.storeOffsets();
                assertThat(queues()).containsEntry(topic + "/0", storedAt(consumer, 0, 1));
              });
      mayEnd.countDown();
      soon()
          .untilAsserted(
              () -> {
                consumer.storeOffsets();
                assertThat(queues()).containsEntry(topic + "/0", NOW);
              });
    }
    // It has stopped: its offsets stay, and what comes in lags behind them.
    send(1);
    assertThat(queues().get(topic + "/0")).isPresent().isNotEqualTo(NOW);
  }

  @Test
  void redeliveriesThatAreNotConsumedLagToo() throws Exception {
    send(2);
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (TestConsumer consumer =
        new TestConsumer(
            broker,
            group,
            topic,
            message -> {
              if (message.getReconsumeTimes() == 0) {
                return RECONSUME_LATER;
              }
              if (message.getQueueOffset() == 1) {
                awaitUninterruptibly(mayEnd);
              }
              return CONSUME_SUCCESS;
            })) {
      soon().until(() -> consumer.received().size() == 4);

      soon()
          .untilAsserted(
              () -> {
                consumer.storeOffsets();
                assertThat(queues())
                    .containsEntry(topic + "/0", NOW)
                    .containsEntry(retryTopic + "/0", storedAt(consumer, 1, 0));
              });
      mayEnd.countDown();
      soon()
          .untilAsserted(
              () -> {
                consumer.storeOffsets();
                assertThat(queues()).containsEntry(retryTopic + "/0", NOW);
              });
    }
  }

  @Test
  void aTopicThatNoConnectedConsumerSubscribesToIsNotLeftOut() throws Exception {
    String other = broker.newTopic("other", 1);
    try (TestConsumer consumer = new TestConsumer(broker, group, topic);
        RocketMqProgress progress = builder(broker).topics(Set.of(other)).build()) {
      send(1);
      soon().until(() -> !consumer.received().isEmpty());
      assertThat(byName(progress.queues())).containsEntry(other + "/0", NOW).hasSize(4);
    }
  }

  @Test
  void refusesAnAnswerThatLeavesOutAQueue() {
    RPCHook aboutAnother =
        before(
            RequestCode.GET_CONSUME_STATS,
            request ->
                ((GetConsumeStatsRequestHeader) request.readCustomHeader())
                    .setTopicList("no-such-topic;"));
    try (RocketMqProgress progress = builder(broker).rpcHook(aboutAnother).build()) {
      assertThatThrownBy(progress::queues)
          .isInstanceOf(ProgressUnknownException.class)
          .hasMessageContaining(broker.brokerName())
          .hasMessageContaining("says nothing about queue 0 of topic " + topic);
    }
  }

  @Test
  void asksAgainWhenTheRouteHasChangedMeanwhile() throws Exception {
    Runnable shrink =
        once(
            () -> {
              broker.createTopic(topic, 1);
              try (RocketMqProgress other = builder(broker).build()) {
                soon().ignoreExceptions().until(() -> other.queues().size() == 1);
              }
            });
    RPCHook hook = before(RequestCode.GET_CONSUME_STATS, request -> shrink.run());
    try (RocketMqProgress progress = builder(broker).rpcHook(hook).build()) {
      assertThat(byName(progress.queues())).isEqualTo(Map.of(topic + "/0", NOW));
    }
  }

  @Test
  void refusesATopicWithoutRoute() {
    try (RocketMqProgress progress = builder(broker).topics(Set.of("nowhere")).build()) {
      assertThatThrownBy(progress::queues)
          .isInstanceOf(ProgressUnknownException.class)
          .hasMessageContaining("Topic nowhere cannot be asked");
      assertThatThrownBy(progress::times).isInstanceOf(ProgressUnknownException.class);
    }
  }

  // Name server and broker share a JVM, hence they die between the two questions.
  @Test
  void namesABrokerThatDoesNotAnswer() {
    try (KillableBroker killed = TestBroker.inChildJvm()) {
      killed.createTopic(topic, 1);
      RPCHook kill = before(RequestCode.GET_CONSUME_STATS, request -> killed.kill());
      try (RocketMqProgress progress = builder(killed).rpcHook(kill).build()) {
        assertThatThrownBy(progress::queues)
            .isInstanceOf(ProgressUnknownException.class)
            .hasMessageContaining(killed.brokerName() + " (127.0.0.1:" + killed.port() + ")")
            .hasCauseInstanceOf(Exception.class);
      }
    }
  }

  @Test
  void readsWhatTheBrokerKeepsAndDelays() throws Exception {
    try (RocketMqProgress progress = builder(broker).clock(InstantSource.system()).build()) {
      assertThat(progress.times())
          .isEqualTo(
              new BrokerTimes(
                  Duration.ofHours(5),
                  Duration.ofSeconds(1).plus(Duration.ofMinutes(4 * 15)),
                  16,
                  Duration.ofMinutes(4),
                  Optional.of(Duration.ZERO)));
    }
    broker.configure("fileReservedTime", "100");
    broker.configure("messageDelayLevel", "1s 2s 1s 6m");
    try (RocketMqProgress progress = builder(broker).maxReconsumeTimes(2).build()) {
      assertThat(progress.times())
          .returns(Duration.ofHours(100), BrokerTimes::storage)
          .returns(Duration.ofSeconds(6 * 60 + 1), BrokerTimes::retries)
          .returns(Duration.ofMinutes(6), BrokerTimes::longestDelay);
      broker.configure("messageDelayLevel", "1s 2s 3 days");
      assertThatThrownBy(progress::times)
          .isInstanceOf(ProgressUnknownException.class)
          .hasMessageContaining(broker.brokerName())
          .hasMessageContaining("messageDelayLevel that cannot be read: 1s 2s 3 days");
    } finally {
      broker.configure("fileReservedTime", "5");
      broker.configure("messageDelayLevel", "1s 2s 1s 4m");
    }
  }

  @Test
  void tellsHowFarTheBrokersClockIsFromOurs() throws Exception {
    InstantSource late = () -> Instant.now().minus(Duration.ofHours(1));
    try (RocketMqProgress progress = builder(broker).clock(late).build()) {
      assertThat(progress.times().skew().orElseThrow())
          .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    }
  }

  @Test
  @SuppressWarnings("deprecation") // The namespace of the old kind.
  void asksAboutTheGroupOfAClientInItsNamespace() throws Exception {
    broker.createTopic("ns%" + topic, 1);
    broker.configureGroup("ns%" + group, config -> {});
    broker.setOffset("ns%" + group, "ns%" + topic, 0, 0);
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(group);
    client.setNamesrvAddr(broker.nameServer());
    client.setNamespace("ns");
    client.setMaxReconsumeTimes(1);
    try (RocketMqProgress progress =
        RocketMqProgress.of(client, null, List.of(topic), InstantSource.fixed(NOW.orElseThrow()))) {
      assertThat(byName(progress.queues())).isEqualTo(Map.of(topic + "/0", NOW));
      assertThat(progress.times().retries()).isEqualTo(Duration.ofSeconds(1));
    }
  }

  @Test
  void isOfNoUseOnceItIsClosed() {
    RocketMqProgress progress = builder(broker).build();
    progress.close();
    progress.close();
    assertThatThrownBy(progress::queues).isInstanceOf(IllegalStateException.class);
  }

  /** Stores messages in queue 0, each of which has a store time of its own. */
  private void send(int messages) {
    for (int i = 0; i < messages; i++) {
      broker.producer().message(topic, "m" + i).queue(0).send();
      long sent = System.currentTimeMillis();
      soon().until(() -> System.currentTimeMillis() > sent);
    }
  }

  private static Optional<Instant> storedAt(TestConsumer consumer, int attempt, long offset) {
    return consumer.received().stream()
        .filter(message -> message.getReconsumeTimes() == attempt)
        .filter(message -> message.getQueueOffset() == offset)
        .map(MessageExt::getStoreTimestamp)
        .map(Instant::ofEpochMilli)
        .findFirst();
  }

  private Map<String, Optional<Instant>> queues() throws ProgressUnknownException {
    try (RocketMqProgress progress = builder(broker).build()) {
      return byName(progress.queues());
    }
  }

  private Map<String, Optional<Instant>> byName(List<QueueProgress> queues) {
    Map<String, Optional<Instant>> byName = new LinkedHashMap<>();
    for (QueueProgress queue : queues) {
      assertThat(queue.queue().broker()).isEqualTo(broker.brokerName());
      byName.put(queue.topic() + "/" + queue.queue().number(), queue.consumedThrough());
    }
    return byName;
  }

  private RocketMqProgress.Builder builder(TestBroker broker) {
    return RocketMqProgress.builder(group)
        .nameServer(broker.nameServer())
        .topics(Set.of(topic))
        .clock(InstantSource.fixed(NOW.orElseThrow()));
  }

  private static RPCHook before(int code, Consumer<RemotingCommand> action) {
    return new RPCHook() {
      @Override
      public void doBeforeRequest(String address, RemotingCommand request) {
        if (request.getCode() == code) {
          action.accept(request);
        }
      }

      @Override
      public void doAfterResponse(String address, RemotingCommand sent, RemotingCommand answer) {}
    };
  }

  private static Runnable once(Runnable action) {
    CountDownLatch first = new CountDownLatch(1);
    return () -> {
      if (first.getCount() > 0) {
        first.countDown();
        action.run();
      }
    };
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
  }
}
