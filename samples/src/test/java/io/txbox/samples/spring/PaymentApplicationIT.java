package io.txbox.samples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.BrokerSettings;
import io.txbox.testkit.broker.TestProducer;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs the application with its beans as Spring Boot makes them, and stops it. */
class PaymentApplicationIT {
  @RegisterExtension
  static final BrokerExtension BROKER = BrokerExtension.own(BrokerSettings.defaults());

  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.postgres();

  private final DSLContext dsl = DATABASE.database().dsl();

  @Test
  void creditsEachPaymentOnceAndStopsBeforeThePool() {
    dsl.execute("create table account (id text primary key, balance bigint not null)");
    dsl.execute("insert into account values ('alice', 0)");
    BROKER.broker().createTopic("PAYMENT", 1);

    try (ConfigurableApplicationContext application = run()) {
      try (TestProducer sender = TestProducer.connect(BROKER.broker())) {
        for (int copy = 0; copy < 3; copy++) {
          sender
              .message("PAYMENT", "250")
              .property("PAYMENT_ID", "p-1")
              .property("ACCOUNT", "alice")
              .send();
        }
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> balance() == 250);
      assertThat(application.isRunning()).isTrue();
    }

    // Offsets are stored by a close that drained: all three are acknowledged.
    assertThat(BROKER.broker().committedOffset("accounts", "PAYMENT", 0)).hasValue(3);
    assertThat(balance()).isEqualTo(250);
  }

  private ConfigurableApplicationContext run() {
    TestDatabase database = DATABASE.database();
    return new SpringApplicationBuilder(PaymentApplication.class)
        .web(WebApplicationType.NONE)
        .properties(
            Map.of(
                "rocketmq.name-server", BROKER.nameServer(),
                "spring.datasource.url", database.jdbcUrl(),
                "spring.datasource.username", database.user(),
                "spring.datasource.password", database.password(),
                "spring.liquibase.enabled", "false",
                "spring.main.banner-mode", "off",
                "spring.jmx.enabled", "false"))
        .run();
  }

  private long balance() {
    return dsl.fetchSingle("select balance from account").get(0, Long.class);
  }
}
