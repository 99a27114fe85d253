package io.txbox.samples.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.jooq.DSLContext;

/** Consumes all topics in a JVM of its own, and reports each delivery on the standard output. */
final class InstanceMain {
  static final String GROUP = "shop";
  static final String READY = "ready";
  static final String STOP = "stop";
  static final String STOPPED = "stopped";
  static final int LANES = 4;

  private InstanceMain() {}

  /**
   * Takes its name, the mode, the database, and the folder that is deleted when the parent has
   * died.
   */
  public static void main(String... arguments) {
    Parent parent = Parent.ofThisJvm();
    Mode mode = Mode.valueOf(arguments[1]);
    Database database = Database.valueOf(arguments[2]);
    String nameServer = next(parent);
    HikariDataSource pool = pool(database, parent, arguments[0]);
    DSLContext dsl = database.dsl(pool);
    Runnable close =
        mode.isNaive()
            ? naive(mode, dsl, nameServer, parent)
            : inbox(database.store(), dsl, nameServer, parent);
    parent.answer(READY);
    if (STOP.equals(parent.nextOrder())) {
      close.run();
      pool.close();
      parent.answer(STOPPED);
    }
    parent.dieWithIt(new TempFolder(Path.of(arguments[3])));
  }

  private static HikariDataSource pool(Database database, Parent parent, String name) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(next(parent));
    config.setUsername(next(parent));
    config.setPassword(next(parent));
    config.setMaximumPoolSize(LANES);
    config.setConnectionInitSql(database.nameSession(name));
    database.tune(config);
    return new HikariDataSource(config);
  }

  private static Runnable inbox(
      StoreDialect store, DSLContext dsl, String nameServer, Parent parent) {
    InboxConsumer consumer =
        InboxConsumer.builder(GROUP, dsl, store)
            .nameServer(nameServer)
            .lanes(LANES)
            .subscribe(
                Topic.PAYMENT.name(), DedupKeys.property("PAYMENT_ID"), Topic.PAYMENT.handler())
            .subscribe(
                Topic.ORDER.name(),
                DedupKeys.composite(DedupKeys.property("ORDER"), DedupKeys.property("EVENT")),
                Topic.ORDER.handler())
            .subscribe(Topic.STOCK.name(), DedupKeys.keys(), Topic.STOCK.handler())
            .customize(InstanceMain::customize)
            .listener(
                event -> {
                  if (event instanceof InboxEvent.Ended ended) {
                    parent.answer(Event.of(ended).line());
                  }
                })
            .build();
    consumer.start();
    return consumer::close;
  }

  private static Runnable naive(Mode mode, DSLContext dsl, String nameServer, Parent parent) {
    NaiveConsumer consumer =
        new NaiveConsumer(dsl, mode == Mode.MESSAGE_ID, event -> parent.answer(event.line()));
    return consumer.start(nameServer)::shutdown;
  }

  /** Sets what both ways have in common. */
  static void customize(DefaultMQPushConsumer client) {
    client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    // A restarted broker knows its consumers again by their next heartbeat: after 30 s by default.
    client.setHeartbeatBrokerInterval(1_000);
  }

  private static String next(Parent parent) {
    return Objects.requireNonNull(parent.nextOrder(), "the parent has died");
  }
}
