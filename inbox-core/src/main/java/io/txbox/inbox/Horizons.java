package io.txbox.inbox;

import io.txbox.store.Horizon;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;

/**
 * Knows the announced horizon of each scope, from a copy that is never older than {@link
 * Horizon#MAX_AGE}: whoever finds it older reads it anew, in the transaction that needs it, after
 * the claim. Thread-safe.
 */
final class Horizons {
  private final InboxScopeTable table;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Map<Short, Copy> copies = new ConcurrentHashMap<>();

  /**
   * Makes it.
   *
   * @param nanoTime tells how much time has passed; stands still while a virtual machine does,
   *     which the clock then shows
   */
  Horizons(InboxSchema schema, InstantSource clock, LongSupplier nanoTime) {
    this.table = schema.scope();
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** A horizon and when, at the latest, it was so. */
  private record Copy(Horizon horizon, long nanos, Instant at) {
    boolean isOlderThan(Duration age, long nowNanos, Instant now) {
      return nowNanos - nanos > age.toNanos() || Duration.between(at, now).abs().compareTo(age) > 0;
    }
  }

  /** Returns the horizon of a scope; reads it in this transaction unless a copy is recent. */
  Horizon of(short scopeId, DSLContext tx) {
    long nanos = nanoTime.getAsLong();
    Instant now = clock.instant();
    Copy copy = copies.get(scopeId);
    if (copy == null || copy.isOlderThan(Horizon.MAX_AGE, nanos, now)) {
      copy = new Copy(read(scopeId, tx), nanos, now);
      copies.put(scopeId, copy);
    }
    return copy.horizon();
  }

  private Horizon read(short scopeId, DSLContext tx) {
    var row =
        tx.select(table.horizon, table.margin)
            .from(table)
            .where(table.id.eq(scopeId))
            .fetchOptional()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "The scope with id "
                            + scopeId
                            + " has gone from inbox_scope, and with it what tells whether a message"
                            + " is new. Rows of that table are never to be deleted while consumers"
                            + " run: start this one again"));
    return new Horizon(
        Optional.ofNullable(row.value1()), Optional.ofNullable(row.value2()).orElse(Duration.ZERO));
  }
}
