package io.txbox.inbox;

import io.txbox.internal.database.Database;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.StorableText;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Knows the small number of each scope of a consumer group. Thread-safe.
 *
 * <p>A new scope is committed in a transaction of its own before an inbox row names it, and is
 * looked up before it is inserted, since a refused insert uses up a number all the same.
 */
final class ScopeIds {
  private final String consumerGroup;
  private final Database database;
  private final InboxScopeTable table;
  private final InstantSource clock;
  private final Map<String, Short> known = new ConcurrentHashMap<>();

  ScopeIds(String consumerGroup, Database database, InstantSource clock) {
    this.consumerGroup = consumerGroup;
    this.database = database;
    this.table = database.schema().scope();
    this.clock = clock;
  }

  short idOf(String scope) {
    Short id = known.get(scope);
    return id != null ? id : remember(scope, find(scope).orElseGet(() -> insert(scope)));
  }

  private short remember(String scope, short id) {
    known.put(scope, id);
    return id;
  }

  private Optional<Short> find(String scope) {
    return database.inTransaction(
        dsl ->
            dsl.select(table.id)
                .from(table)
                .where(table.consumerGroup.eq(StorableText.of(consumerGroup)))
                .and(table.scope.eq(StorableText.of(scope)))
                .fetchOptional(table.id));
  }

  private short insert(String scope) {
    try {
      database.inTransaction(
          dsl ->
              dsl.insertInto(table)
                  .set(table.consumerGroup, StorableText.of(consumerGroup))
                  .set(table.scope, StorableText.of(scope))
                  .set(table.createdAt, clock.instant())
                  .execute());
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      // Another instance was faster, or it is a real error: what is in the table decides.
      return find(scope).orElseThrow(() -> e);
    }
    return find(scope).orElseThrow();
  }
}
