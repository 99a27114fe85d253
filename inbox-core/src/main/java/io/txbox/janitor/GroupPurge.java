package io.txbox.janitor;

import io.txbox.internal.database.Database;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.store.StorableText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Purges the rows of one consumer group, scope by scope, in small transactions. Not thread-safe.
 */
final class GroupPurge {
  private final String group;
  private final Retention retention;
  private final Database database;
  private final @Nullable GroupProgress progress;
  private final PurgeClock clock;
  private final Horizons horizons;
  private final LongSupplier nanoTime;
  private final BatchSize batch = new BatchSize();
  private Optional<String> shortfall = Optional.empty();
  private boolean retentionChecked;

  /**
   * Where to go on, while more rows may go than there is time for. Once all were gone through it
   * begins with the first again: with what was locked, or came late.
   */
  private final Map<Part, Instant> reached = new HashMap<>();

  GroupPurge(
      String group,
      Retention retention,
      @Nullable GroupProgress progress,
      Database database,
      InstantSource time,
      LongSupplier nanoTime) {
    this.group = group;
    this.retention = retention;
    this.database = database;
    this.progress = progress;
    this.clock = new PurgeClock(database, group, retention.isByWallClock() ? null : progress, time);
    this.horizons = new Horizons(database, time, nanoTime);
    this.nanoTime = nanoTime;
  }

  /** A scope, and by which horizon its rows may be purged. */
  private record Due(short id, String scope, Instant before) {}

  /** The rows of a scope and a state: a stretch of the index. */
  private record Part(short scopeId, RowState state) {}

  /** What was purged of a scope. */
  record Purged(String scope, long rows, Duration elapsed, boolean moreWait) {}

  /** Says whether a transaction may go on, in that transaction. */
  @FunctionalInterface
  interface Fence {
    boolean holds(DSLContext tx);
  }

  String group() {
    return group;
  }

  PurgeClock clock() {
    return clock;
  }

  /**
   * Checks the retention against what the brokers keep, until they have answered once.
   *
   * @throws ProgressUnknownException if they do not answer
   */
  void checkRetention() throws ProgressUnknownException {
    if (progress != null && !retentionChecked) {
      shortfall = RetentionCheck.shortfall(group, retention, progress.times());
      retentionChecked = true;
    }
  }

  /** Says why the retention is too short, if it is, as far as that is known. */
  Optional<String> shortfall() {
    return shortfall;
  }

  /**
   * Moves the horizons and purges what they let go.
   *
   * @param reading the purge clock
   * @param timeLeft whether to begin a further batch
   * @param purged is told what was purged of a scope, also if a batch fails after it
   * @return whether more may go than there was time for
   */
  boolean run(
      PurgeClock.Reading reading, Fence fence, BooleanSupplier timeLeft, Consumer<Purged> purged) {
    try {
      checkRetention();
    } catch (ProgressUnknownException e) {
      // The clock stands still for the same, and says so.
    }
    List<Due> due = new ArrayList<>();
    Optional<Instant> wanted = reading.time().map(time -> time.minus(retention.duration()));
    scopes()
        .forEach(
            scope ->
                horizons
                    .move(scope.id(), wanted, retention.margin())
                    .ifPresent(before -> due.add(new Due(scope.id(), scope.name(), before))));
    Collections.shuffle(due); // If time does not suffice, it is not always the same that waits.
    boolean moreWait = false;
    for (Due scope : due) {
      moreWait |= purge(scope, fence, timeLeft, purged);
    }
    batch.staysBehind(behind(due));
    return moreWait;
  }

  /** Returns how far the purge is behind the horizons, where it is known how far it has come. */
  private Duration behind(List<Due> due) {
    return due.stream()
        .flatMap(
            scope ->
                ScopeRows.MAY_GO.stream()
                    .map(state -> reached.get(new Part(scope.id(), state)))
                    .filter(Objects::nonNull)
                    .filter(from -> from.isAfter(PurgeBatch.FROM_THE_FIRST))
                    .map(from -> Duration.between(from, scope.before())))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  private boolean purge(Due scope, Fence fence, BooleanSupplier timeLeft, Consumer<Purged> purged) {
    long begun = nanoTime.getAsLong();
    long rows = 0;
    boolean moreWait = true;
    try {
      boolean more = false;
      for (RowState state : ScopeRows.MAY_GO) {
        boolean isFull = true;
        Part part = new Part(scope.id(), state);
        Instant from = begin(part);
        boolean first = true;
        while (isFull && timeLeft.getAsBoolean()) {
          if (!first) {
            LockSupport.parkNanos(batch.rest().toNanos());
          }
          first = false;
          int limit = batch.rows();
          Done done = purge(new PurgeBatch(scope.id(), state, from, scope.before(), limit), fence);
          rows += done.rows();
          from = done.next();
          isFull = done.rows() == limit;
        }
        if (isFull) {
          reached.put(part, from);
        } else {
          reached.remove(part);
        }
        more |= isFull;
      }
      moreWait = more;
    } finally {
      Duration elapsed = Duration.ofNanos(nanoTime.getAsLong() - begun);
      purged.accept(new Purged(scope.scope(), rows, elapsed, moreWait));
    }
    return moreWait;
  }

  /** Returns where the rows begin that were not purged yet, as far as that is known. */
  private Instant begin(Part part) {
    return reached.getOrDefault(part, PurgeBatch.FROM_THE_FIRST);
  }

  /**
   * What a batch did.
   *
   * @param next where the next one may begin
   */
  private record Done(int rows, Instant next) {}

  private Done purge(PurgeBatch rows, Fence fence) {
    long begun = System.nanoTime();
    try {
      Done done = database.inTransaction(tx -> purge(rows, fence, tx));
      batch.took(Duration.ofNanos(System.nanoTime() - begun));
      return done;
    } catch (LeaseLostException e) {
      throw e;
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      batch.failed();
      throw e;
    }
  }

  private Done purge(PurgeBatch rows, Fence fence, DSLContext tx) {
    if (!fence.holds(tx)) {
      throw new LeaseLostException();
    }
    int purged = database.purge(tx, rows);
    return new Done(purged, purged < rows.limit() ? rows.from() : next(rows, tx));
  }

  /**
   * Finds the row with which the next batch begins. Without it each batch would read all that was
   * deleted before it and that the server has not cleaned away yet: an old snapshot keeps it from
   * that, and InnoDB is slower at it than the purge.
   */
  private Instant next(PurgeBatch rows, DSLContext tx) {
    return new ScopeRows(database, rows.scopeId(), tx)
        .oldest(rows.state(), rows.from())
        .orElse(rows.before());
  }

  /** Says that another janitor has taken over, since this one was away for too long. */
  static final class LeaseLostException extends RuntimeException {
    LeaseLostException() {
      super("Another janitor has the lease by now");
    }
  }

  private record ScopeRow(short id, String name) {}

  private List<ScopeRow> scopes() {
    InboxScopeTable table = database.schema().scope();
    return database.inTransaction(
        tx ->
            tx.select(table.id, table.scope)
                .from(table)
                .where(table.consumerGroup.eq(StorableText.of(group)))
                .fetch(row -> new ScopeRow(row.value1(), row.value2())));
  }

  /** Looks at what is there, for the health. */
  JanitorHealth.Group look(PurgeClock.@Nullable Reading reading, Optional<Duration> databaseSkew) {
    InboxScopeTable table = database.schema().scope();
    List<JanitorHealth.Scope> scopes =
        database.inTransaction(
            tx ->
                tx
                    .select(table.id, table.scope, table.horizon, table.purgeHorizon)
                    .from(table)
                    .where(table.consumerGroup.eq(StorableText.of(group)))
                    .fetch()
                    .stream()
                    .map(
                        row ->
                            new JanitorHealth.Scope(
                                row.value2(),
                                Optional.ofNullable(row.value3()),
                                Optional.ofNullable(row.value4()),
                                new ScopeRows(database, row.value1(), tx)
                                    .oldestExpired(
                                        row.value4(),
                                        state -> begin(new Part(row.value1(), state)))))
                    .toList());
    return new JanitorHealth.Group(
        group,
        reading == null ? Optional.empty() : reading.time(),
        reading == null ? Optional.empty() : reading.heldBy(),
        reading == null ? Optional.empty() : reading.skew(),
        databaseSkew,
        scopes);
  }

  /** Says what a pass would purge by now and a little later, and changes nothing. */
  PurgePreview.Group preview() {
    PurgeClock.Reading reading = clock.peek();
    return new PurgePreview.Group(
        group,
        retention,
        reading.time(),
        reading.heldBy(),
        database.inTransaction(tx -> preview(reading, tx)));
  }

  private List<PurgePreview.Scope> preview(PurgeClock.Reading reading, DSLContext tx) {
    InboxScopeTable table = database.schema().scope();
    return tx.select(table.id, table.scope, table.purgeHorizon, table.horizon)
        .from(table)
        .where(table.consumerGroup.eq(StorableText.of(group)))
        .orderBy(table.scope)
        .fetch()
        .map(
            row ->
                new ScopePreview(
                        row.value2(), row.value3(), row.value4(), reading, retention.duration())
                    .of(new ScopeRows(database, row.value1(), tx)));
  }
}
