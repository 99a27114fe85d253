package io.txbox.testkit.contract;

import static org.awaitility.Awaitility.await;

import io.txbox.InboxHandler;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.broker.TestProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.awaitility.core.ConditionFactory;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What contracts with a real broker start from: a broker, a producer, a topic, consumers. */
abstract class BrokerContract extends DatabaseContract {
  final String topic = broker().newTopic("payment", queues());
  private final List<InboxConsumer> consumers = new ArrayList<>();
  private final List<DefaultMQPushConsumer> clients = new CopyOnWriteArrayList<>();
  TestProducer producer;

  int queues() {
    return 2;
  }

  abstract TestBroker broker();

  @BeforeEach
  void connect() {
    producer = broker().producer();
  }

  @Override
  @AfterEach
  void leavesNothingBehind() {
    consumers.forEach(InboxConsumer::close);
    super.leavesNothingBehind();
  }

  /** Returns how many messages share a transaction at most; a subclass turns batches off by 1. */
  protected int maxBatch() {
    return 64;
  }

  /** A consumer of this test's group. */
  InboxConsumer.Builder consumer() {
    return consumer(dsl());
  }

  InboxConsumer.Builder consumer(DSLContext dsl) {
    return InboxConsumer.builder(group, dsl, dialect())
        .nameServer(broker().nameServer())
        .lanes(4)
        .maxBatch(maxBatch())
        .drain(Duration.ofSeconds(10))
        .listener(events)
        .customize(clients::add);
  }

  InboxConsumer start(InboxConsumer.Builder builder) {
    InboxConsumer consumer = builder.build();
    consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  InboxConsumer start(InboxHandler handler) {
    return start(consumer().subscribe(topic, BY_KEYS, handler));
  }

  void send(String key) {
    producer.message(topic, "body of " + key).key(key).property(Effects.NAME, key).send();
  }

  void send(int queue, String key) {
    producer
        .message(topic, "body of " + key)
        .key(key)
        .property(Effects.NAME, key)
        .queue(queue)
        .send();
  }

  /** Has the clients store on the broker what they would after their 10 s, or at their end. */
  @SuppressWarnings("deprecation") // The client has no other way to be told to.
  void storeOffsets() {
    clients.forEach(client -> client.getDefaultMQPushConsumerImpl().persistConsumerOffset());
  }

  /** Waits until the group's offsets on the broker have reached the end of the topic. */
  void awaitAllAcknowledged() {
    soon()
        .untilAsserted(
            () -> {
              storeOffsets();
              for (int queue = 0; queue < queues(); queue++) {
                long end = broker().maxOffset(topic, queue);
                long committed = broker().committedOffset(group, topic, queue).orElse(0);
                if (committed < end) {
                  throw new AssertionError("queue " + queue + " is at " + committed + " of " + end);
                }
              }
            });
  }

  static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
  }
}
