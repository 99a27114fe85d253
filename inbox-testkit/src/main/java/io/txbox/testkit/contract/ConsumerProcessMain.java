package io.txbox.testkit.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.Objects;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Consumes in a JVM of its own, which a contract kills. A database module has a main class that
 * does nothing but call this with its dialect.
 */
public final class ConsumerProcessMain {
  static final String READY = "ready";

  private ConsumerProcessMain() {}

  /**
   * Consumes until the parent kills this JVM, or dies.
   *
   * @param arguments what the main class was given
   */
  public static void run(StoreDialect dialect, String... arguments) {
    Parent parent = Parent.ofThisJvm();
    String nameServer = next(parent);
    String group = next(parent);
    String topic = next(parent);
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(next(parent));
    pool.setUsername(next(parent));
    pool.setPassword(next(parent));
    SQLDialect family = dialect.families().iterator().next();
    InboxConsumer.builder(group, DSL.using(new HikariDataSource(pool), family), dialect)
        .nameServer(nameServer)
        .lanes(2)
        .subscribe(topic, DatabaseContract.BY_KEYS, Effects.handler())
        .build()
        .start();
    parent.answer(READY);
    parent.dieWithIt(new TempFolder(Path.of(arguments[0])));
  }

  private static String next(Parent parent) {
    return Objects.requireNonNull(parent.nextOrder(), "the parent has died");
  }
}
