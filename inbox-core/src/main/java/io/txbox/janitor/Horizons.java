package io.txbox.janitor;

import io.txbox.internal.database.Database;
import io.txbox.store.Horizon;
import io.txbox.store.InboxScopeTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;
import org.jooq.Record2;
import org.jspecify.annotations.Nullable;

/**
 * Moves the horizons of scopes, which never decrease. A horizon is announced first. Rows are purged
 * by it only when it has been there for so long that no instance goes by an older one: twice {@link
 * Horizon#MAX_AGE}, measured by this process from when it saw the horizon committed. Not
 * thread-safe.
 */
final class Horizons {
  private static final long WAIT_NANOS = 2 * Horizon.MAX_AGE.toNanos();

  private final Database database;
  private final InboxScopeTable table;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Map<Short, Deque<Seen>> seen = new HashMap<>();

  Horizons(Database database, InstantSource clock, LongSupplier nanoTime) {
    this.database = database;
    this.table = database.schema().scope();
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** A horizon that was committed, and when it was at the latest. */
  private record Seen(Instant horizon, long nanos) {}

  /**
   * Announces a horizon, unless a later one is, and returns the one by which rows may be purged by
   * now.
   *
   * @param wanted the horizon; empty if it is to stay where it is
   */
  Optional<Instant> move(short scopeId, Optional<Instant> wanted, Duration margin) {
    Optional<Instant> ripe = ripe(scopeId);
    Record2<Instant, Instant> committed =
        database.inTransaction(
            tx -> {
              wanted.ifPresent(horizon -> announce(scopeId, horizon, margin, tx));
              ripe.ifPresent(horizon -> purgeBy(scopeId, horizon, tx));
              return tx.select(table.horizon, table.purgeHorizon)
                  .from(table)
                  .where(table.id.eq(scopeId))
                  .fetchSingle();
            });
    note(scopeId, committed.value1(), nanoTime.getAsLong());
    return Optional.ofNullable(committed.value2());
  }

  /** Returns the latest horizon that was seen long enough ago. */
  private Optional<Instant> ripe(short scopeId) {
    long now = nanoTime.getAsLong();
    Deque<Seen> all = seen.computeIfAbsent(scopeId, any -> new ArrayDeque<>());
    Optional<Instant> ripe = Optional.empty();
    while (!all.isEmpty() && now - all.getFirst().nanos() >= WAIT_NANOS) {
      ripe = Optional.of(all.removeFirst().horizon());
    }
    return ripe;
  }

  private void note(short scopeId, @Nullable Instant horizon, long now) {
    Deque<Seen> all = seen.computeIfAbsent(scopeId, any -> new ArrayDeque<>());
    if (horizon != null && (all.isEmpty() || all.getLast().horizon().isBefore(horizon))) {
      all.addLast(new Seen(horizon, now));
    }
  }

  private void announce(short scopeId, Instant horizon, Duration margin, DSLContext tx) {
    // The margin with it: beside a horizon that waits, a larger one would make new messages late.
    tx.update(table)
        .set(table.horizon, horizon)
        .set(table.margin, margin)
        .set(table.horizonAnnouncedAt, clock.instant())
        .where(table.id.eq(scopeId))
        .and(table.horizon.isNull().or(table.horizon.lt(horizon)))
        .execute();
  }

  private void purgeBy(short scopeId, Instant horizon, DSLContext tx) {
    tx.update(table)
        .set(table.purgeHorizon, horizon)
        .where(table.id.eq(scopeId))
        .and(table.purgeHorizon.isNull().or(table.purgeHorizon.lt(horizon)))
        .and(table.horizon.ge(horizon)) // A database may have lost what it had announced.
        .execute();
  }
}
