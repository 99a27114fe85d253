package io.txbox.cli;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.internal.database.Database;
import io.txbox.internal.database.Rights;
import io.txbox.internal.database.SetupCheck;
import io.txbox.janitor.Janitor;
import io.txbox.store.InboxQueueTable;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.StorableText;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/** A database, and where the tables are in it. */
record OpenDatabase(HikariDataSource pool, DSLContext dsl, StoreDialect dialect, InboxSchema schema)
    implements AutoCloseable {
  private static final String REDELIVERIES = "%RETRY%"; // RocketMQ's prefix of their topics.
  private static final int MOST_GROUPS = 20;

  /**
   * Refuses a database that has no inbox, or whose user may not do what a janitor does.
   *
   * @param migration what to do about a schema that is missing or too old, a sentence
   * @throws io.txbox.SetupException if it has none, or he may not
   */
  void check(String migration) {
    Database database = new Database(dsl, dialect, schema);
    SetupCheck.database(database, migration);
    Rights.ofJanitor(database);
  }

  /** Returns the scopes in which a consumer group has consumed. */
  List<String> scopes(String consumerGroup) {
    InboxScopeTable scope = schema.scope();
    return dsl.select(scope.scope)
        .from(scope)
        .where(scope.consumerGroup.eq(StorableText.of(consumerGroup)))
        .orderBy(scope.scope)
        .fetch(scope.scope);
  }

  /** Returns the largest margin that the consumers of a group have; none if no janitor has run. */
  Optional<Duration> margin(String consumerGroup) {
    InboxScopeTable scope = schema.scope();
    return dsl
        .select(scope.margin)
        .from(scope)
        .where(scope.consumerGroup.eq(StorableText.of(consumerGroup)))
        .and(scope.margin.isNotNull())
        .fetch(scope.margin)
        .stream()
        .max(Duration::compareTo);
  }

  /** Returns the topics that a janitor has seen a consumer group consume. */
  List<String> topics(String consumerGroup) {
    InboxQueueTable queue = schema.queue();
    return dsl.selectDistinct(queue.topic)
        .from(queue)
        .where(queue.consumerGroup.eq(StorableText.of(consumerGroup)))
        .and(queue.topic.startsWith(REDELIVERIES).not())
        .orderBy(queue.topic)
        .fetch(queue.topic);
  }

  /** Returns some of the consumer groups that have consumed. */
  List<String> groups() {
    InboxScopeTable scope = schema.scope();
    return dsl.selectDistinct(scope.consumerGroup)
        .from(scope)
        .orderBy(scope.consumerGroup)
        .limit(MOST_GROUPS)
        .fetch(scope.consumerGroup);
  }

  Janitor.Builder janitor() {
    Janitor.Builder builder = Janitor.builder(dsl, dialect).name("inbox-cli");
    return schema.name().map(builder::schema).orElse(builder);
  }

  @Override
  public void close() {
    pool.close();
  }
}
