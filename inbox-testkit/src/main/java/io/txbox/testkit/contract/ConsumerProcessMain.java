package io.txbox.testkit.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.Objects;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.tools.jdbc.JDBCUtils;

/**
 * Consumes in a JVM of its own, which a contract kills. A database module has a main class that
 * does nothing but call this with its dialect.
 */
public final class ConsumerProcessMain {
  static final String READY = "ready";
  static final String START = "start";
  static final String RELEASE = "release";

  private ConsumerProcessMain() {}

  /**
   * Consumes until the parent kills this JVM, or dies.
   *
   * @param arguments what the main class was given
   */
  public static void run(StoreDialect dialect, String... arguments) {
    TempFolder folder = new TempFolder(Path.of(arguments[0]));
    Parent parent = Parent.ofThisJvm();
    String nameServer = next(parent);
    String group = next(parent);
    String topic = next(parent);
    HikariConfig pool = pool(parent);
    String step = next(parent);
    Halt halt = new Halt(parent, step.isEmpty() ? null : FlowStep.valueOf(step));
    addDriverProperties(pool, parent);

    Journal journal = Journal.in(folder.path());
    HaltingFlow flow = new HaltingFlow(halt, topic);
    SQLDialect family = JDBCUtils.dialect(pool.getJdbcUrl());
    DSLContext dsl = flow.transactions(DSL.using(new HikariDataSource(pool), family));
    InboxConsumer.builder(group, dsl, new HaltingDialect(dialect, halt))
        .nameServer(nameServer)
        .lanes(2)
        .clock(flow.clock())
        .listener(journal)
        .listener(flow)
        .customize(flow::watch)
        .subscribe(topic, flow.keys(), journal.around(flow.handler()))
        .build()
        .start();
    journal.ready();
    parent.answer(READY);
    flow.start();
    obey(parent, halt);
    parent.dieWithIt(folder);
  }

  private static HikariConfig pool(Parent parent) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(next(parent));
    pool.setUsername(next(parent));
    pool.setPassword(next(parent));
    return pool;
  }

  private static void addDriverProperties(HikariConfig pool, Parent parent) {
    String order = next(parent);
    while (!order.equals(START)) {
      int separator = order.indexOf('=');
      pool.addDataSourceProperty(order.substring(0, separator), order.substring(separator + 1));
      order = next(parent);
    }
  }

  private static void obey(Parent parent, Halt halt) {
    String order;
    while ((order = parent.nextOrder()) != null) {
      if (order.equals(RELEASE)) {
        halt.release();
      }
    }
  }

  private static String next(Parent parent) {
    return Objects.requireNonNull(parent.nextOrder(), "the parent has died");
  }
}
