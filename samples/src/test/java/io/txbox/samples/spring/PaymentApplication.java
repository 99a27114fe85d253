package io.txbox.samples.spring;

import io.txbox.DedupKeys;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.samples.payment.CreditAccount;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

// README: spring
/** An application with {@code spring-boot-starter-jooq}. */
@SpringBootApplication
public class PaymentApplication {
  /** Started with the application; closed, drained, before the connection pool. */
  @Bean(initMethod = "start", destroyMethod = "close")
  InboxConsumer payments(
      DSLContext dsl, DataSource dataSource, @Value("${rocketmq.name-server}") String nameServer) {
    Migrations.migrate(dataSource);
    return InboxConsumer.builder("accounts", dsl, new PostgresDialect())
        .nameServer(nameServer)
        .subscribe("PAYMENT", DedupKeys.property("PAYMENT_ID"), new CreditAccount())
        .build();
  }
}
// README: end
