package io.txbox.samples.payment;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.rocketmq.InboxConsumer;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Runs {@link CreditAccount} on all messages of the topic PAYMENT, until the process is told to
 * end. The environment says where: {@code NAME_SERVER}, {@code DATABASE_URL}, {@code
 * DATABASE_USER}, {@code DATABASE_PASSWORD}.
 */
public final class PaymentService {
  private PaymentService() {}

  /** Starts the service. It ends, drained, when the process gets a SIGTERM or Ctrl-C. */
  public static void main(String... arguments) {
    start(pool(), setting("NAME_SERVER"));
  }

  private static void start(HikariDataSource dataSource, String nameServer) {
    // README: start
    DSLContext dsl = DSL.using(dataSource, SQLDialect.POSTGRES);
    Migrations.migrate(dataSource); // txbox's tables, if they are not there yet
    dsl.execute(
        "create table if not exists account (id text primary key, balance bigint not null)");

    InboxConsumer consumer =
        InboxConsumer.builder("accounts", dsl, new PostgresDialect())
            .nameServer(nameServer)
            .subscribe("PAYMENT", DedupKeys.property("PAYMENT_ID"), new CreditAccount())
            .build();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  consumer.close(); // lets the handlers that run come to their end
                  dataSource.close(); // and only then takes their connections away
                }));
    consumer.start();
    // README: end
  }

  private static HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(setting("DATABASE_URL"));
    config.setUsername(setting("DATABASE_USER"));
    config.setPassword(setting("DATABASE_PASSWORD"));
    return new HikariDataSource(config);
  }

  private static String setting(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new IllegalArgumentException("The environment variable " + name + " is missing");
    }
    return value;
  }
}
