package io.txbox.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** The rows of a large inbox, written by the set: those that may go, and those that may not. */
final class Rows {
  /** Less than what a janitor warns of. */
  static final Duration EXPIRED = Duration.ofMinutes(50);

  private static final Duration RETENTION_LEFT = Duration.ofDays(1);
  private static final Duration SPAN = Duration.ofDays(5);

  private final Database database;
  private final DSLContext dsl;
  private final int keyLength;

  /**
   * Fills the inbox of this connection.
   *
   * @param keyLength how many characters a dedup key has
   */
  Rows(Database database, DSLContext dsl, int keyLength) {
    this.database = database;
    this.dsl = dsl;
    this.keyLength = keyLength;
  }

  /**
   * Writes rows with the indexes away, where that is faster, and reports how many are there.
   *
   * @param expired how many of before the horizon; they have the numbers from 0 on
   * @param live how many of after it, all older than {@link #newest}
   */
  void load(short scope, Instant horizon, long expired, long live, LongConsumer progress) {
    Storage storage = database.storage();
    run(storage.beforeLoad());
    AtomicLong written = new AtomicLong();
    LongConsumer wrote = count -> progress.accept(written.addAndGet(count));
    fill(scope, 0, expired, horizon.minus(EXPIRED), EXPIRED, wrote);
    fill(scope, expired, live, horizon.plus(RETENTION_LEFT), SPAN, wrote);
    run(storage.afterLoad());
  }

  /** Returns a time that all rows that were written are older than. */
  static Instant newest(Instant horizon) {
    return horizon.plus(RETENTION_LEFT).plus(SPAN);
  }

  /** Writes rows of random keys into the table as it is. */
  void fill(short scope, long rows) {
    fill(scope, 0, rows, Instant.EPOCH, SPAN, count -> {});
  }

  private void fill(
      short scope, long from, long rows, Instant since, Duration span, LongConsumer wrote) {
    long chunks = (rows + Storage.ROWS_AT_ONCE - 1) / Storage.ROWS_AT_ONCE;
    LongStream.range(0, chunks)
        .parallel()
        .forEach(
            chunk -> {
              long first = chunk * Storage.ROWS_AT_ONCE;
              long count = Math.min(Storage.ROWS_AT_ONCE, rows - first);
              long spanned = span.toMillis() / chunks;
              long at = since.toEpochMilli() + chunk * spanned;
              String sql =
                  database
                      .storage()
                      .fill()
                      .formatted(scope, from + first, count, at, spanned, keyLength);
              dsl.connection(connection -> Tables.execute(sql, connection));
              wrote.accept(count);
            });
  }

  /** Leaves no work for the table for later. */
  void tidy() {
    run(database.tidy(List.of("inbox")));
  }

  private void run(List<String> statements) {
    dsl.connection(
        connection -> {
          for (String sql : statements) {
            Tables.execute(sql, connection);
          }
        });
  }

  /** Lets the server look at what the table takes. */
  void analyze() {
    run(database.tidy(List.of("inbox")).stream().filter(sql -> sql.startsWith("analyze")).toList());
  }

  /** What the table takes on disk. */
  record Size(long table, long indexes) {
    long total() {
      return table + indexes;
    }
  }

  Size size() {
    return new Size(
        number(database.storage().tableBytes()), number(database.storage().indexBytes()));
  }

  /** Returns what a query for a number finds. */
  long number(String sql) {
    @Nullable Long found = dsl.fetchSingle(sql).get(0, Long.class);
    return found == null ? 0 : found;
  }
}
