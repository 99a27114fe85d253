package io.txbox.testkit.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
import static org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus.RECONSUME_LATER;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.admin.OffsetWrapper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What txbox takes for granted about RocketMQ, run with its plain client. Where a new version fails
 * here, read what stands on the fact before anything else. That the client's consumeTimeout sends
 * back what is still being worked on takes minutes, and is shown where a consumer of ours runs
 * beside it: in ConsumeTimeoutContract.
 */
class RocketMqFactsIT {

  @RegisterExtension static final BrokerExtension broker = BrokerExtension.shared();

  private final String topic = broker.newTopic("fact", 4);
  private final String group = broker.newGroup("g");
  private TestProducer producer;

  @BeforeEach
  void connect() {
    producer = TestProducer.connect(broker.broker());
  }

  @AfterEach
  void disconnect() {
    producer.close();
  }

  // F1, F2: ids and message time of a retry copy are the first one's; its coordinates are not.
  @Test
  void aRetryCopyKeepsItsIdAndBornTimeAndHasOtherCoordinates() {
    producer.message(topic, "genuine").queue(0).send();
    producer.message(topic, "before").queue(3).send();
    producer.message(topic, "again").queue(3).send();

    try (TestConsumer consumer = consumer(group, failing("again"))) {
      await().until(() -> deliveries(consumer, "again").size() == 2);

      MessageExt first = deliveries(consumer, "again").get(0);
      MessageExt copy = deliveries(consumer, "again").get(1);
      assertThat(copy.getMsgId()).isEqualTo(first.getMsgId());
      assertThat(copy.getProperty(MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX))
          .isEqualTo(first.getMsgId());
      assertThat(copy.getBornTimestamp()).isEqualTo(first.getBornTimestamp());
      assertThat(copy.getTopic()).isEqualTo(first.getTopic()).isEqualTo(topic);
      assertThat(List.of(first.getReconsumeTimes(), copy.getReconsumeTimes()))
          .containsExactly(0, 1);
      assertThat(copy.getStoreTimestamp()).isGreaterThan(first.getStoreTimestamp());
      assertThat(offsetId(copy)).isNotEqualTo(offsetId(first));
      assertThat(List.of(first.getQueueId(), first.getQueueOffset())).containsExactly(3, 1L);
      MessageExt genuine = deliveries(consumer, "genuine").get(0);
      assertThat(List.of(copy.getQueueId(), copy.getQueueOffset()))
          .containsExactly(genuine.getQueueId(), genuine.getQueueOffset());
    }
  }

  // F4
  @Test
  void aProducersSecondAttemptKeepsTheIdAndHasALaterBornTime() throws Exception {
    FirstAnswerLost hook = new FirstAnswerLost();
    SendResult sent = send(hook, new Message(topic, "twice".getBytes(UTF_8)));

    try (TestConsumer consumer = consumer(group, message -> CONSUME_SUCCESS)) {
      await().until(() -> consumer.received().size() == 2);

      assertThat(consumer.received())
          .extracting(MessageExt::getMsgId)
          .containsOnly(sent.getMsgId());
      assertThat(consumer.received().stream().map(MessageExt::getBornTimestamp).distinct())
          .hasSize(2);
    }
  }

  // F5
  @Test
  void aReusedMessageObjectGivesAnotherMessageTheSameId() throws Exception {
    Message reused = new Message(topic, "first".getBytes(UTF_8));
    String id = send(null, reused).getMsgId();
    reused.setBody("second".getBytes(UTF_8));
    send(null, reused);

    try (TestConsumer consumer = consumer(group, message -> CONSUME_SUCCESS)) {
      await().until(() -> consumer.received().size() == 2);

      assertThat(consumer.received()).extracting(MessageExt::getMsgId).containsOnly(id);
      assertThat(consumer.received())
          .extracting(RocketMqFactsIT::body)
          .containsExactlyInAnyOrder("first", "second");
    }
  }

  @Test
  void reconsumeLaterSendsBackAndSuccessAcknowledges() {
    producer.message(topic, "good").queue(0).send();
    producer.message(topic, "bad").queue(1).send();

    try (TestConsumer consumer = consumer(group, failing("bad"))) {
      await().until(() -> deliveries(consumer, "bad").size() == 2);
    }

    assertThat(broker.broker().redeliveries(group)).isEqualTo(1);
    assertThat(broker.broker().committedOffset(group, topic, 0)).hasValue(1);
    assertThat(broker.broker().committedOffset(group, topic, 1)).hasValue(1);
    try (TestConsumer consumer = consumer(group, message -> CONSUME_SUCCESS)) {
      producer.message(topic, "last").queue(0).send();
      await().until(() -> !consumer.received().isEmpty());
      assertThat(consumer.received()).extracting(RocketMqFactsIT::body).containsExactly("last");
    }
  }

  // F11, BC-50: why ClientSetup refuses such a group.
  @Test
  void aGroupWithoutRetryQueuesLosesWhatFailed() {
    String sound = broker.newGroup("sound");
    broker.broker().configureGroup(group, config -> config.setRetryQueueNums(0));
    producer.message(topic, "lost").queue(0).send();

    TestConsumer losing = consumer(group, message -> RECONSUME_LATER);
    try (losing) {
      await().until(() -> losing.received().size() == 1);
      // Fails later, and is delivered again: by then, so would have been the other one.
      try (TestConsumer other = consumer(sound, failing("lost"))) {
        await().until(() -> other.received().size() == 2);
      }
    }

    assertThat(losing.received()).hasSize(1);
    assertThat(broker.broker().committedOffset(group, topic, 0)).hasValue(1);
    assertThat(broker.broker().deadLetters(group)).isZero();
    assertThat(broker.broker().deadLetters(sound)).isZero();
  }

  // BC-11, BC-40, BC-41
  @Test
  void keysArriveAsTheyWereSent() {
    List<String> keys =
        List.of("blank ", " \t two  ", "nul\0inside", "\0", "ä\u0301", "k".repeat(20_000));
    keys.forEach(key -> producer.message(topic, "x").key(key).send());

    try (TestConsumer consumer = consumer(group, message -> CONSUME_SUCCESS)) {
      await().until(() -> consumer.received().size() == keys.size());

      assertThat(consumer.received())
          .extracting(MessageExt::getKeys)
          .containsExactlyInAnyOrderElementsOf(keys);
    }
  }

  // What OrderlyListener answers for a message that it must neither acknowledge nor fail.
  @Test
  void anOrderlySuccessWithoutAutoCommitMovesNoOffset() throws Exception {
    IntStream.range(0, 3).forEach(i -> producer.message(topic, "m" + i).queue(0).send());

    assertThat(consumeInOrder(false)).containsExactly("m0", "m1", "m2");
    assertThat(broker.broker().committedOffset(group, topic, 0).orElse(0)).isZero();

    assertThat(consumeInOrder(true)).containsExactly("m0", "m1", "m2");
    assertThat(broker.broker().committedOffset(group, topic, 0)).hasValue(3);
    assertThat(broker.broker().redeliveries(group)).isZero();
  }

  // What Intake.hold stands on.
  @Test
  void anAnswerAfterShutdownNeitherAcknowledgesNorSendsBack() throws Exception {
    producer.message(topic, "good").queue(0).send();
    producer.message(topic, "bad").queue(1).send();
    CountDownLatch down = new CountDownLatch(1);
    Queue<Thread> held = new ConcurrentLinkedQueue<>();
    TestConsumer stopped =
        consumer(
            group,
            message -> {
              held.add(Thread.currentThread());
              awaitUninterruptibly(down);
              return body(message).equals("good") ? CONSUME_SUCCESS : RECONSUME_LATER;
            });
    await().until(() -> held.size() == 2);

    stopped.close();
    down.countDown();
    for (Thread thread : held) {
      thread.join();
    }

    for (int queue : List.of(0, 1)) {
      assertThat(broker.broker().committedOffset(group, topic, queue).orElse(0)).isZero();
    }
    try (TestConsumer next = consumer(group, message -> CONSUME_SUCCESS)) {
      await().until(() -> next.received().size() == 2);
      assertThat(next.received()).extracting(MessageExt::getReconsumeTimes).containsOnly(0);
    }
    assertThat(broker.broker().redeliveries(group)).isZero();
  }

  // F7: why InboxConsumer drains before it shuts the client down.
  @Test
  void shutdownInterruptsHandlersAtOnceAndDoesNotWaitForThem() {
    producer.message(topic, "x").queue(0).send();
    CountDownLatch inHandler = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Void> interrupted = new CompletableFuture<>();
    TestConsumer consumer =
        consumer(
            group,
            message -> {
              inHandler.countDown();
              try {
                mayEnd.await();
              } catch (InterruptedException e) {
                interrupted.complete(null);
                awaitUninterruptibly(mayEnd);
              }
              return CONSUME_SUCCESS;
            });
    await().until(() -> inHandler.getCount() == 0);

    consumer.close();

    await().until(interrupted::isDone);
    assertThat(broker.broker().committedOffset(group, topic, 0).orElse(0)).isZero();
    mayEnd.countDown();
  }

  // Why RocketMqProgress asks for a list of topics.
  @Test
  void aConnectedGroupsStatsLeaveOutTopicsItDoesNotSubscribeToUnlessTheyAreListed()
      throws Exception {
    String other = broker.newTopic("other", 2);
    try (TestConsumer consumer = consumer(group, message -> CONSUME_SUCCESS)) {
      producer.message(topic, "x").send();
      await().until(() -> !consumer.received().isEmpty());

      assertThat(stats(consumer, topic, List.of()).keySet()).hasSize(4);
      assertThat(stats(consumer, other, List.of())).isEmpty();
      assertThat(stats(consumer, null, List.of(topic, other)).keySet()).hasSize(6);
    }
  }

  // What RocketMqProgress.consumedThrough makes of it.
  @Test
  void statsShowAnOffsetThatWasNeverCommittedAsZeroAndTheTimeOfTheMessageBeforeIt()
      throws Exception {
    IntStream.range(0, 2).forEach(i -> producer.message(topic, "m" + i).queue(0).send());
    String other = broker.newGroup("other");
    try (TestConsumer consumer = consumer(other, message -> CONSUME_SUCCESS)) {
      await().until(() -> consumer.received().size() == 2);
      MessageQueue queue = new MessageQueue(topic, broker.broker().brokerName(), 0);

      // A broker takes no offset of a group that it does not know.
      broker.broker().configureGroup(group, config -> {});

      OffsetWrapper never = stats(consumer, null, List.of(topic)).get(queue);
      broker.broker().setOffset(group, topic, 0, 1);
      OffsetWrapper half = stats(consumer, null, List.of(topic)).get(queue);
      broker.broker().setOffset(group, topic, 0, 3);
      OffsetWrapper pastTheEnd = stats(consumer, null, List.of(topic)).get(queue);

      assertThat(never)
          .returns(2L, OffsetWrapper::getBrokerOffset)
          .returns(0L, OffsetWrapper::getConsumerOffset)
          .returns(0L, OffsetWrapper::getLastTimestamp);
      assertThat(half)
          .returns(1L, OffsetWrapper::getConsumerOffset)
          .returns(
              deliveries(consumer, "m0").get(0).getStoreTimestamp(),
              OffsetWrapper::getLastTimestamp);
      assertThat(pastTheEnd)
          .returns(3L, OffsetWrapper::getConsumerOffset)
          .returns(0L, OffsetWrapper::getLastTimestamp);
    }
  }

  /** Asks about this test's group, by the connection of a consumer. */
  @SuppressWarnings("deprecation") // The client has no other way to be asked.
  private Map<MessageQueue, OffsetWrapper> stats(
      TestConsumer consumer, @Nullable String one, List<String> listed) throws Exception {
    return consumer
        .client()
        .getDefaultMQPushConsumerImpl()
        .getmQClientFactory()
        .getMQClientAPIImpl()
        .getConsumeStats(
            broker.broker().host() + ":" + broker.broker().port(), group, one, listed, 10_000)
        .getOffsetTable();
  }

  private TestConsumer consumer(
      String group, Function<MessageExt, ConsumeConcurrentlyStatus> answer) {
    return new TestConsumer(broker.broker(), group, topic, answer);
  }

  /** An answer that fails the first delivery of the message with this body. */
  private static Function<MessageExt, ConsumeConcurrentlyStatus> failing(String body) {
    return message ->
        body(message).equals(body) && message.getReconsumeTimes() == 0
            ? RECONSUME_LATER
            : CONSUME_SUCCESS;
  }

  /**
   * On a busy machine a client that missed a route or a rebalance takes some rounds to catch up.
   */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(60));
  }

  private static List<MessageExt> deliveries(TestConsumer consumer, String body) {
    return consumer.received().stream().filter(message -> body(message).equals(body)).toList();
  }

  /** Consumes three messages in order, answers SUCCESS, and shuts the client down. */
  private List<String> consumeInOrder(boolean autoCommit) throws MQClientException {
    Queue<String> bodies = new ConcurrentLinkedQueue<>();
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(group);
    client.setNamesrvAddr(broker.nameServer());
    client.setPollNameServerInterval(1_000);
    client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    client.subscribe(topic, "*");
    client.setMessageListener(
        (MessageListenerOrderly)
            (messages, context) -> {
              context.setAutoCommit(autoCommit);
              messages.forEach(message -> bodies.add(body(message)));
              return ConsumeOrderlyStatus.SUCCESS;
            });
    client.start();
    try {
      await().until(() -> bodies.size() >= 3);
    } finally {
      client.shutdown();
    }
    return List.copyOf(bodies);
  }

  private static SendResult send(@Nullable RPCHook hook, Message message) throws Exception {
    DefaultMQProducer plain = new DefaultMQProducer("facts", hook);
    plain.setNamesrvAddr(broker.nameServer());
    plain.setInstanceName("facts-" + System.nanoTime());
    plain.start();
    try {
      return plain.send(message);
    } finally {
      plain.shutdown();
    }
  }

  private static String body(MessageExt message) {
    return new String(message.getBody(), UTF_8);
  }

  private static String offsetId(MessageExt message) {
    return ((MessageClientExt) message).getOffsetMsgId();
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

  /** Turns the first answer to a send, which was stored, into one that the producer retries on. */
  private static final class FirstAnswerLost implements RPCHook {
    private boolean lost;

    @Override
    public void doBeforeRequest(String remoteAddress, RemotingCommand request) {}

    @Override
    public void doAfterResponse(
        String remoteAddress, RemotingCommand request, RemotingCommand response) {
      if (request.getCode() == RequestCode.SEND_MESSAGE_V2 && !lost) {
        lost = true;
        long answeredAt = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > answeredAt);
        response.setCode(ResponseCode.SYSTEM_BUSY);
      }
    }
  }
}
