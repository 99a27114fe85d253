package io.txbox.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.DedupKeys;
import io.txbox.migrations.Migrations;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.TestProducer;
import io.txbox.testkit.database.DatabaseExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Measures what an inbox costs with one transaction a message: the same handler on the same number
 * of threads and connections, with an inbox and without, in turn, from the same preloaded topic.
 *
 * <p>It decides nothing by time: only the effects are asserted. Run it by {@code mvn verify -Pload
 * -pl inbox-postgres -am -Dit.test=ThroughputIT -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("load")
class ThroughputIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private static final int THREADS = 20;
  private static final int MESSAGES = 20_000;
  private static final int ACCOUNTS = 1_000;
  private static final int ROUNDS = 5;

  private final DSLContext dsl =
      DATABASE
          .database()
          .dsl(DATABASE.database().dataSource(pool -> pool.setMaximumPoolSize(THREADS)));
  private final AtomicInteger handled = new AtomicInteger();
  private final AtomicLong firstAt = new AtomicLong();
  private final AtomicLong lastAt = new AtomicLong();
  private final AtomicInteger groups = new AtomicInteger();

  @Test
  void oneTransactionForEachMessageWithAndWithoutInbox() throws Exception {
    dsl.execute("create table account (id int primary key, balance bigint not null)");
    dsl.execute("create table payment (id varchar(40) not null, account int not null)");
    dsl.execute("insert into account select i, 0 from generate_series(0, 999) i");
    String topic = BROKER.newTopic("load", 8);
    try (TestProducer producer = TestProducer.connect(BROKER.broker())) {
      IntStream.range(0, MESSAGES)
          .parallel()
          .forEach(i -> producer.message(topic, "x".repeat(200)).key("payment-" + i).send());
    }

    List<Double> plain = new ArrayList<>();
    List<Double> inbox = new ArrayList<>();
    for (int round = 0; round <= ROUNDS; round++) {
      double withoutInbox = plain(topic);
      double withInbox = inbox(topic);
      if (round > 0) { // The first one warms up.
        plain.add(withoutInbox);
        inbox.add(withInbox);
      }
    }

    List<Double> ratios =
        IntStream.range(0, ROUNDS).mapToObj(i -> inbox.get(i) / plain.get(i)).toList();
    System.out.printf(
        "%nmessages/s, %d threads, one transaction a message, %d rounds of %d messages%n"
            + "plain listener  median %6.0f  %s%n"
            + "inbox           median %6.0f  %s%n"
            + "ratio           median %6.2f  %s%n",
        THREADS,
        ROUNDS,
        MESSAGES,
        median(plain),
        rounded(plain, "%.0f"),
        median(inbox),
        rounded(inbox, "%.0f"),
        median(ratios),
        rounded(ratios, "%.2f"));
  }

  private double plain(String topic) throws MQClientException {
    DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group());
    consumer.setNamesrvAddr(BROKER.nameServer());
    consumer.setInstanceName(group());
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.setConsumeThreadMin(THREADS);
    consumer.setConsumeThreadMax(THREADS);
    consumer.subscribe(topic, "*");
    consumer.setMessageListener(
        (MessageListenerConcurrently)
            (messages, context) -> {
              messages.forEach(message -> dsl.transaction(tx -> pay(tx.dsl(), message.getKeys())));
              messages.forEach(message -> count());
              return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
    consumer.start();
    return measured(consumer::shutdown);
  }

  private double inbox(String topic) {
    InboxConsumer consumer =
        InboxConsumer.builder(group(), dsl, new PostgresDialect())
            .nameServer(BROKER.nameServer())
            .lanes(THREADS)
            .customize(
                client -> client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET))
            .listener(event -> count())
            .subscribe(
                topic, DedupKeys.keys(), (message, tx) -> pay(tx, message.keys().orElseThrow()))
            .build();
    consumer.start();
    return measured(consumer::close);
  }

  private double measured(Runnable stop) {
    await()
        .atMost(Duration.ofMinutes(3))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> handled.get() >= MESSAGES);
    double perSecond = MESSAGES * 1e9 / (lastAt.get() - firstAt.get());
    stop.run();
    assertThat(dsl.fetchCount(dsl.selectFrom("payment"))).isEqualTo(MESSAGES);
    assertThat(dsl.fetchValue("select sum(balance) from account").toString())
        .isEqualTo(String.valueOf(MESSAGES));
    dsl.execute("truncate payment, inbox");
    dsl.execute("update account set balance = 0");
    dsl.connection(c -> c.createStatement().execute("vacuum account"));
    handled.set(0);
    firstAt.set(0);
    return perSecond;
  }

  private static void pay(DSLContext tx, String payment) {
    int account = Math.floorMod(payment.hashCode(), ACCOUNTS);
    tx.execute("insert into payment (id, account) values (?, ?)", payment, account);
    tx.execute("update account set balance = balance + 1 where id = ?", account);
  }

  private void count() {
    long now = System.nanoTime();
    firstAt.compareAndSet(0, now);
    lastAt.set(now);
    handled.incrementAndGet();
  }

  private String group() {
    return "load-" + groups.incrementAndGet();
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  private static List<String> rounded(List<Double> values, String format) {
    return values.stream().map(format::formatted).toList();
  }
}
