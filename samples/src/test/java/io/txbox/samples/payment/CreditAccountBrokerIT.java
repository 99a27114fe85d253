package io.txbox.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.DedupKeys;
import io.txbox.inbox.InboxEvent;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.TestProducer;
import io.txbox.testkit.database.DatabaseExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CreditAccountBrokerIT {
  // README: broker
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Test
  void creditsWhatIsSentTwiceOnce() {
    String topic = BROKER.broker().newTopic("payment", 4);
    List<InboxEvent> ended = new CopyOnWriteArrayList<>();
    DSLContext dsl = DATABASE.database().dsl();
    dsl.execute("create table account (id text primary key, balance bigint not null)");
    dsl.execute("insert into account values ('alice', 0)");

    try (InboxConsumer consumer =
            InboxConsumer.builder("accounts-test", dsl, new PostgresDialect())
                .nameServer(BROKER.nameServer())
                .subscribe(topic, DedupKeys.property("PAYMENT_ID"), new CreditAccount())
                .listener(ended::add)
                .build();
        TestProducer sender = TestProducer.connect(BROKER.broker())) {
      consumer.start();
      for (int copy = 0; copy < 2; copy++) {
        sender
            .message(topic, "250")
            .property("PAYMENT_ID", "p-1")
            .property("ACCOUNT", "alice")
            .send();
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> ended.stream().filter(InboxEvent.Ended.class::isInstance).count() == 2);
    }
    assertThat(dsl.fetchValue("select balance from account")).isEqualTo(250L);
  }
  // README: end
}
