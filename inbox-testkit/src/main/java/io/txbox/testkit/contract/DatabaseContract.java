package io.txbox.testkit.contract;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeyExtractor;
import io.txbox.DedupKeys;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.LeakCheck;
import io.txbox.testkit.database.TestDatabase;
import io.txbox.testkit.network.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all contracts start from: a migrated database, an empty business table, a new group. */
abstract class DatabaseContract {
  static final String TOPIC = "PAYMENT";
  static final DedupKeyExtractor BY_KEYS = DedupKeys.keys();

  private static final AtomicInteger NEXT = new AtomicInteger();

  final String group = "group-" + NEXT.incrementAndGet();
  final Recorder events = new Recorder();
  private final List<HikariDataSource> pools = new ArrayList<>();

  /** Returns the database under test, with txbox's schema. */
  protected abstract TestDatabase database();

  /** Returns a new dialect for it. */
  protected abstract StoreDialect dialect();

  /** Returns what the driver sends for a COMMIT, and for nothing else. */
  protected byte[] commitOnTheWire() {
    return "COMMIT".getBytes(StandardCharsets.US_ASCII);
  }

  @BeforeEach
  void emptyBusinessTable() {
    effects().reset();
  }

  @AfterEach
  void leavesNothingBehind() {
    pools.forEach(HikariDataSource::close);
    LeakCheck.create().threads(group).finder(database()::borrowed).verify();
  }

  /** Returns jOOQ on this pool; a subclass may set it up as an application's framework does. */
  protected DSLContext dsl(DataSource pool) {
    return database().dsl(pool);
  }

  DSLContext dsl() {
    return dsl(database().dataSource());
  }

  /** jOOQ on a pool of its own, for this test. */
  DSLContext dsl(Consumer<HikariConfig> customizer) {
    HikariDataSource pool = database().dataSource(customizer);
    pools.add(pool);
    return dsl((DataSource) pool);
  }

  /** jOOQ on a pool of its own, for this test, whose connections go through a proxy. */
  DSLContext dslThrough(TcpProxy proxy, Consumer<HikariConfig> customizer) {
    return dsl(
        pool -> {
          pool.setJdbcUrl(database().jdbcUrl(proxy.host(), proxy.port()));
          pool.setConnectionTimeout(2_000);
          customizer.accept(pool);
        });
  }

  Effects effects() {
    return new Effects(dsl());
  }

  /** An inbox of this test's group, whose handler does what it is told. */
  Inbox inbox(InboxHandler handler) {
    return inbox(dsl(), handler);
  }

  Inbox inbox(DSLContext dsl, InboxHandler handler) {
    return builder(dsl).handler(TOPIC, BY_KEYS, handler).build();
  }

  Inbox.Builder builder(DSLContext dsl) {
    return Inbox.builder(group, dsl, dialect()).listener(events);
  }

  /** A message with this key that asks for an effect of the same name. */
  static InboxMessage message(String key) {
    return InboxMessage.builder(TOPIC).keys(key).property(Effects.NAME, key).build();
  }

  int inboxRows() {
    return rowsOfGroup(InboxSchema.ofConnection());
  }

  private int rowsOfGroup(InboxSchema schema) {
    Condition ofGroup =
        schema
            .inbox()
            .scopeId
            .in(
                dsl()
                    .select(schema.scope().id)
                    .from(schema.scope())
                    .where(schema.scope().consumerGroup.eq(group)));
    return dsl().fetchCount(schema.inbox(), ofGroup);
  }
}
