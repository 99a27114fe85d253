package io.txbox.samples.payment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.DedupKeys;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.TestProducer;
import io.txbox.testkit.database.DatabaseExtension;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.message.MessageExt;
import org.awaitility.core.ConditionFactory;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Takes a consumer group over from a plain consumer, as the README says. */
class CutOverIT {
  private static final String GROUP = "accounts-cut-over";

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private final DSLContext dsl = DATABASE.database().dsl();
  private final String topic = BROKER.broker().newTopic("cut-over", 1);

  @BeforeEach
  void createTables() {
    dsl.execute("create table account (id text primary key, balance bigint not null)");
    dsl.execute("create table booking (payment_id text primary key)");
    dsl.execute("insert into account values ('alice', 0)");
  }

  @Test
  void neitherDoublesNorLosesWhatTheOldConsumerHandled() throws Exception {
    try (TestProducer sender = TestProducer.connect(BROKER.broker())) {
      IntStream.range(0, 20).forEach(payment -> send(sender, payment));
      DefaultMQPushConsumer old = startOldConsumer();
      soon().until(() -> balance() == 2_000);
      old.shutdown();
      IntStream.range(10, 30).forEach(payment -> send(sender, payment)); // ten of them are copies
    }
    // It was killed before it stored its offsets, or an operator rewound them: the worst case.
    BROKER.broker().setOffset(GROUP, topic, 0, 0);

    try (InboxConsumer consumer = newConsumer()) {
      consumer.start();
      soon().until(() -> inboxRows() == 30);
    }
    assertThat(balance()).isEqualTo(3_000);
  }

  private InboxConsumer newConsumer() {
    return InboxConsumer.builder(GROUP, dsl, new PostgresDialect())
        .nameServer(BROKER.nameServer())
        .subscribe(topic, DedupKeys.property("PAYMENT_ID"), new UnlessBooked(new CreditAccount()))
        .build();
  }

  /** A consumer as it was before: it notes each payment beside its effect, by itself. */
  private DefaultMQPushConsumer startOldConsumer() throws Exception {
    DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(GROUP);
    consumer.setInstanceName("old");
    consumer.setNamesrvAddr(BROKER.nameServer());
    consumer.subscribe(topic, "*");
    consumer.setMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              messages.forEach(this::handleWithoutInbox);
              return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
    consumer.start();
    return consumer;
  }

  private void handleWithoutInbox(MessageExt message) {
    dsl.transaction(
        tx -> {
          String payment = message.getUserProperty("PAYMENT_ID");
          if (tx.dsl().execute("insert into booking values (?) on conflict do nothing", payment)
              == 1) {
            long cents = Long.parseLong(new String(message.getBody(), UTF_8));
            tx.dsl().execute("update account set balance = balance + ?", cents);
          }
        });
  }

  private void send(TestProducer sender, int payment) {
    sender
        .message(topic, "100")
        .property("PAYMENT_ID", "p-" + payment)
        .property("ACCOUNT", "alice")
        .send();
  }

  private long balance() {
    return dsl.fetchSingle("select balance from account").get(0, Long.class);
  }

  private int inboxRows() {
    List<Integer> count = dsl.fetch("select count(*) from inbox").getValues(0, Integer.class);
    return count.get(0);
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }
}
