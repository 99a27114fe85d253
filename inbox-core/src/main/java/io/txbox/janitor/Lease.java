package io.txbox.janitor;

import io.txbox.internal.database.Database;
import io.txbox.store.InboxLeaseTable;
import io.txbox.store.StorableText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Lets one at a time do something, by a row that names the holder. Each holder has a term of its
 * own: a write made under an older one does nothing, so that a holder that was away for too long
 * does no harm. No clock takes part but that of whoever waits: it takes the lease if it has seen it
 * stand still for the lease time. Not thread-safe.
 */
final class Lease {
  private final Database database;
  private final InboxLeaseTable table;
  private final String name;
  private final String holder;
  private final Duration time;
  private final LongSupplier nanoTime;
  private @Nullable Seen seen;
  private volatile boolean taken;

  /**
   * Makes a lease that is not held.
   *
   * @param name what it is for
   * @param holder who takes it, another name in each process
   * @param time for how long a holder may stand still
   */
  Lease(Database database, String name, String holder, Duration time, LongSupplier nanoTime) {
    this.database = database;
    this.table = database.schema().lease();
    this.name = name;
    this.holder = StorableText.of(holder);
    this.time = time;
    this.nanoTime = nanoTime;
  }

  private record Row(long term, long beat, @Nullable String holder) {}

  /** A row, and since when it stands still. */
  private record Seen(Row row, long nanos) {}

  /** Takes the lease if it is free, or its holder has stood still; returns the term if so. */
  OptionalLong acquire() {
    Row row = database.inTransaction(this::read);
    if (row == null) {
      insert();
      row = Objects.requireNonNull(database.inTransaction(this::read), "the lease's row");
    }
    long now = nanoTime.getAsLong();
    if (seen == null || !seen.row().equals(row)) {
      seen = new Seen(row, now);
    }
    boolean free = row.holder() == null || now - seen.nanos() >= time.toNanos();
    taken = !free || !take(row);
    return taken ? OptionalLong.empty() : OptionalLong.of(row.term() + 1);
  }

  /** Says whether another one had it when it was last asked for. */
  boolean isTaken() {
    return taken;
  }

  /** Returns who has the lease, which may be this one; empty if nobody has. */
  Optional<String> heldBy() {
    return Optional.ofNullable(database.inTransaction(this::read)).map(Row::holder);
  }

  private @Nullable Row read(DSLContext tx) {
    return tx.select(table.term, table.beat, table.holder)
        .from(table)
        .where(table.lease.eq(name))
        .fetchOne(row -> new Row(row.value1(), row.value2(), row.value3()));
  }

  private void insert() {
    try {
      database.inTransaction(
          tx ->
              tx.insertInto(table)
                  .set(table.lease, name)
                  .set(table.term, 0L)
                  .set(table.beat, 0L)
                  .execute());
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      // Another one was faster, or it is a real error: what is in the table decides.
      if (database.inTransaction(this::read) == null) {
        throw e;
      }
    }
  }

  private boolean take(Row from) {
    return database.inTransaction(
            tx ->
                tx.update(table)
                    .set(table.holder, holder)
                    .set(table.term, from.term() + 1)
                    .set(table.beat, from.beat() + 1)
                    .where(table.lease.eq(name))
                    .and(table.term.eq(from.term()))
                    .and(table.beat.eq(from.beat()))
                    .execute())
        == 1;
  }

  /**
   * Shows that the holder lives, in the transaction of what it does: nobody can take the lease
   * before that has ended.
   *
   * @return whether it still is the holder
   */
  boolean renew(long term, DSLContext tx) {
    return tx.update(table)
            .set(table.beat, table.beat.plus(1))
            .where(table.lease.eq(name))
            .and(table.term.eq(term))
            .execute()
        == 1;
  }

  /** Gives the lease back, if it is still held. */
  void release(long term) {
    database.inTransaction(
        tx ->
            tx.update(table)
                .setNull(table.holder)
                .where(table.lease.eq(name))
                .and(table.term.eq(term))
                .execute());
  }
}
