package io.txbox.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.store.InboxSchema;
import io.txbox.store.KnownRow;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.testkit.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many rows the statements of an inbox make the server read, by the server's own counters. */
abstract class ReadsTests {
  private static final int ROWS = 10_000;
  private static final int LIMIT = 500;

  /** What a statement reads that finds nothing: where its range would begin. */
  private static final int A_FEW = 5;

  private HikariDataSource pool = new HikariDataSource();
  private long nanos;

  abstract TestDatabase database();

  /**
   * Rows of three scopes and three states, of times that have nothing to do with where they lie.
   */
  @BeforeEach
  void fill() {
    pool = database().dataSource(p -> p.setMaximumPoolSize(1));
    dsl().execute("TRUNCATE inbox");
    dsl().execute("TRUNCATE inbox_scope");
    dsl()
        .execute(
            """
            INSERT INTO inbox
              (message_time, processed_at, body_fingerprint, scope_id, state, dedup_key, message_id)
            WITH digit AS (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
                UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9),
              number AS (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS ms FROM digit a, digit b, digit c, digit e)
            SELECT ms, ms, 0, 1 + ms % 3, CASE WHEN ms % 50 < 40 THEN 0 ELSE 1 + ms % 2 END, sha2(ms, 256), 'id' FROM number
            """);
    assertThat(dsl().fetchCount(DSL.table("inbox"))).isEqualTo(ROWS);
    dsl().execute("ANALYZE TABLE inbox");
  }

  @AfterEach
  void closePool() {
    pool.close();
  }

  @Test
  void aBatchReadsItsRowsAndNoOthers() {
    long read =
        readWhile(
            () ->
                assertThat(purge(RowState.PROCESSED, Instant.ofEpochMilli(ROWS / 2)))
                    .isEqualTo(LIMIT));

    // In the index, to be locked, in what was found, and by their key; MySQL once more to delete
    // it.
    assertThat(read).isBetween((long) LIMIT, 5L * LIMIT + A_FEW);
  }

  @Test
  void aBatchThatFindsNothingReadsNothing() {
    long read = readWhile(() -> assertThat(purge(RowState.DISCARDED, Instant.EPOCH)).isZero());

    assertThat(read).isLessThanOrEqualTo(A_FEW);
  }

  @Test
  void aPassThatPurgesNothingReadsTheOldestRowsOnly() {
    dsl().execute("INSERT INTO inbox_scope VALUES (NULL, NULL, NULL, NULL, 0, 1, 'g', 'T')");
    try (Janitor janitor =
        Janitor.builder(dsl(), new MySqlDialect())
            .group("g", Retention.ofDays(1).byWallClock())
            .nanoTime(() -> nanos)
            .build()) {
      assertThat(janitor.pass()).isFalse(); // Announces.
      nanos += Duration.ofSeconds(10).toNanos();
      dsl().execute("UPDATE inbox SET processed_at = processed_at + 4102444800000");
      dsl().execute("ANALYZE TABLE inbox");

      long read = readWhile(() -> assertThat(janitor.pass()).isFalse());

      assertThat(janitor.health().rowsPurged()).isZero();
      // Most of it rows of the other tables, which are few.
      assertThat(read).isLessThan(100);
    }
  }

  @Test
  void copiesReadTheirRowsOnlyThoughStatisticsDoNotKnowTheScope() {
    dsl()
        .execute(
            "INSERT INTO inbox SELECT message_time, processed_at, body_fingerprint, 4, state,"
                + " dedup_key, message_id FROM inbox");
    List<String> keys =
        dsl()
            .fetchValues(
                "SELECT CONVERT(dedup_key USING utf8mb4) FROM inbox WHERE scope_id = 4 LIMIT 64")
            .stream()
            .map(String.class::cast)
            .toList();

    long read = readWhile(() -> assertThat(find(keys)).hasSameSizeAs(keys));

    assertThat(read).isBetween((long) keys.size(), 2L * keys.size());
  }

  private List<KnownRow> find(List<String> keys) {
    try (Connection connection = pool.getConnection()) {
      return new MySqlDialect().find(connection, InboxSchema.ofConnection(), (short) 4, keys);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private DSLContext dsl() {
    return database().dsl(pool);
  }

  private int purge(RowState state, Instant before) {
    try (Connection connection = pool.getConnection()) {
      return new MySqlDialect()
          .purge(
              connection,
              InboxSchema.ofConnection(),
              new PurgeBatch((short) 2, state, PurgeBatch.FROM_THE_FIRST, before, LIMIT));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns how many rows the pool's only connection reads for something. */
  private long readWhile(Runnable something) {
    long atFirst = read();
    long before = read();
    something.run();
    return read() - before - (before - atFirst);
  }

  /** Returns how many rows the pool's only connection has read, this counter's rows included. */
  private long read() {
    return dsl().fetch("SHOW SESSION STATUS LIKE 'Handler_read%'").stream()
        .mapToLong(counter -> counter.get(1, Long.class))
        .sum();
  }
}
