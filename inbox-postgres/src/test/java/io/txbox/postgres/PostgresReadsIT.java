package io.txbox.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.migrations.Migrations;
import io.txbox.store.InboxSchema;
import io.txbox.store.KnownRow;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.testkit.database.DatabaseExtension;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the statements of an inbox make the server read, by plans and the server's own counters. */
class PostgresReadsIT {
  private static final int ROWS = 48_000;
  private static final int LIMIT = 500;
  private static final String INDEX = "inbox_state_scope_id_processed_at_idx";

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private static final short UNKNOWN_SCOPE = 4;

  private long nanos;

  private static DSLContext dsl() {
    return DATABASE.database().dsl();
  }

  /**
   * Rows of three scopes and three states, of times that have nothing to do with where they lie.
   */
  @BeforeEach
  void fill() {
    dsl().execute("truncate inbox, inbox_scope, inbox_parked restart identity");
    dsl()
        .execute(
            "insert into inbox (message_time, processed_at, body_fingerprint, scope_id, state,"
                + " dedup_key, message_id) select ms, ms, 0, 1 + ms % 3, case when ms % 50 < 40 then"
                + " 0 else 1 + ms % 2 end, md5(ms::text), 'id' from generate_series(1, "
                + ROWS
                + ") as ms order by md5(ms::text)");
    dsl().execute("analyze inbox");
  }

  @Test
  void aBatchReadsItsRowsAndNoOthers() throws SQLException {
    String plan = planOfPurge(RowState.PROCESSED, Instant.ofEpochMilli(ROWS / 2));

    assertThat(plan).contains("\"Index Name\": \"" + INDEX + "\"").doesNotContain("Seq Scan");
    assertThat(numbers(plan, "Rows Removed by Filter")).allMatch(rows -> rows == 0);
    assertThat(numbers(plan, "Actual Rows")).contains(LIMIT).allMatch(rows -> rows <= LIMIT);
  }

  @Test
  void aBatchThatFindsNothingReadsNothing() throws SQLException {
    String plan = planOfPurge(RowState.DISCARDED, Instant.EPOCH);

    assertThat(plan).contains("\"Index Name\": \"" + INDEX + "\"").doesNotContain("Seq Scan");
    assertThat(numbers(plan, "Rows Removed by Filter")).allMatch(rows -> rows == 0);
    assertThat(numbers(plan, "Actual Rows")).containsOnly(0);
  }

  @Test
  void aPassThatPurgesNothingReadsTheOldestRowsOnly() {
    try (HikariDataSource pool = DATABASE.database().dataSource(p -> p.setMaximumPoolSize(1));
        Janitor janitor = janitor(pool)) {
      assertThat(janitor.pass()).isFalse(); // Announces.
      nanos += Duration.ofSeconds(10).toNanos();
      dsl().execute("update inbox set processed_at = processed_at + 4102444800000");
      dsl().execute("vacuum analyze inbox");
      long scans = count(pool, "seq_scan", "pg_stat_user_tables");
      long read = count(pool, "idx_tup_read", "pg_stat_user_indexes");

      assertThat(janitor.pass()).isFalse();

      assertThat(janitor.health().rowsPurged()).isZero();
      assertThat(count(pool, "seq_scan", "pg_stat_user_tables") - scans).isZero();
      // One for each of two states.
      assertThat(count(pool, "idx_tup_read", "pg_stat_user_indexes") - read).isEqualTo(2);
    }
  }

  // BC-77
  @Test
  void readsOnceWhatItHasDeletedThoughAnOldSnapshotKeepsItThere() throws SQLException {
    dsl().execute("update inbox set scope_id = 1, state = 0");
    dsl().execute("vacuum full analyze inbox");
    try (HikariDataSource pool = DATABASE.database().dataSource(p -> p.setMaximumPoolSize(1));
        Janitor janitor = janitor(pool);
        Connection old = DATABASE.database().dataSource().getConnection();
        Statement snapshot = old.createStatement()) {
      assertThat(janitor.pass()).isFalse(); // Announces.
      nanos += Duration.ofSeconds(10).toNanos();
      old.setAutoCommit(false);
      snapshot.execute("set transaction isolation level repeatable read");
      snapshot.executeQuery("select count(*) from inbox_scope").close();
      long before = count(pool, "idx_tup_read", "pg_stat_user_indexes");

      assertThat(janitor.pass()).isFalse();

      assertThat(janitor.health().rowsPurged()).isEqualTo(ROWS);
      // To be deleted, to find where the next batch begins, and at the end for the health.
      assertThat(count(pool, "idx_tup_read", "pg_stat_user_indexes") - before)
          .isBetween(2L * ROWS, 3L * ROWS + 100);
      old.rollback();
    }
  }

  @Test
  void copiesReadTheirRowsOnlyThoughStatisticsDoNotKnowTheScope() throws SQLException {
    fillUnknownScope();
    List<String> keys = IntStream.range(0, 64).mapToObj(i -> "k" + 300 * i).toList();
    try (HikariDataSource pool = DATABASE.database().dataSource(p -> p.setMaximumPoolSize(1))) {
      long before = count(pool, "idx_tup_read", "pg_stat_user_indexes");
      long scans = count(pool, "seq_scan", "pg_stat_user_tables");

      List<KnownRow> found;
      try (Connection connection = pool.getConnection()) {
        found =
            new PostgresDialect().find(connection, InboxSchema.ofConnection(), UNKNOWN_SCOPE, keys);
      }

      assertThat(found).extracting(KnownRow::dedupKey).containsExactlyInAnyOrderElementsOf(keys);
      assertThat(count(pool, "idx_tup_read", "pg_stat_user_indexes") - before)
          .isEqualTo(keys.size());
      assertThat(count(pool, "seq_scan", "pg_stat_user_tables")).isEqualTo(scans);
    }
  }

  @Test
  void aRowIsChangedAndReadByItsKeyThoughStatisticsDoNotKnowTheScope() {
    fillUnknownScope();
    try (HikariDataSource pool = DATABASE.database().dataSource(p -> p.setMaximumPoolSize(1))) {
      Inbox inbox =
          Inbox.builder("g", DATABASE.database().dsl(pool), new PostgresDialect())
              .handler(
                  "T",
                  DedupKeys.keys(),
                  (message, tx) -> {
                    throw new IllegalStateException("for ever");
                  },
                  route -> route.maxAttempts(1, ExhaustedPolicy.PARK))
              .build();
      inbox.check();
      long before = count(pool, "idx_tup_read", "pg_stat_user_indexes");

      assertThat(inbox.receive(copyOf("k7")).isDuplicate()).isTrue(); // Which keeps it for longer.
      assertThat(inbox.receive(copyOf("new")).isParked()).isTrue(); // Which changes its state.

      assertThat(count(pool, "idx_tup_read", "pg_stat_user_indexes") - before)
          .isLessThanOrEqualTo(10);
    }
  }

  @Test
  void whatFollowsParkedMessagesIsFoundByOrderingKeys() throws Exception {
    fillUnknownScope();
    dsl().execute("alter table inbox_parked set (autovacuum_enabled = off)");
    dsl().execute("analyze inbox_parked");
    dsl()
        .execute(
            "insert into inbox_parked (parked_at, message_time, born_at, attempt, scope_id,"
                + " dedup_key, ordering_key, reason, topic, message_id, properties, body) select"
                + " ms, ms, ms, 1, 4, 'k' || ms, 'k' || ms, 'EXHAUSTED', 'T', 'id', '', ''"
                + " from generate_series(0, 19999) as ms");
    try (HikariDataSource pool = DATABASE.database().dataSource(p -> p.setMaximumPoolSize(1))) {
      Inbox inbox =
          Inbox.builder("g", DATABASE.database().dsl(pool), new PostgresDialect())
              .handler(
                  "T",
                  DedupKeys.composite(DedupKeys.keys(), DedupKeys.property("n")),
                  (message, tx) -> {},
                  route ->
                      route
                          .orderingKey(InboxMessage::keys)
                          .maxAttempts(1, ExhaustedPolicy.PARK_SEQUENCE))
              .build();
      inbox.check();
      long before = count(pool, "idx_tup_read", "pg_stat_user_indexes", "inbox_parked");
      long scans = count(pool, "seq_scan", "pg_stat_user_tables", "inbox_parked");

      try (InboxLanes lanes = new InboxLanes("g", inbox, LaneSettings.DEFAULTS.withLanes(1))) {
        lanes.pause();
        List<CompletableFuture<Receipt>> receipts =
            lanes.submitInOrder(
                "q",
                IntStream.range(0, 64)
                    .mapToObj(
                        i ->
                            InboxMessage.builder("T")
                                .keys("k" + 300 * i)
                                .property("n", "2")
                                .build())
                    .toList());
        lanes.resume();
        for (CompletableFuture<Receipt> receipt : receipts) {
          assertThat(receipt.get(10, TimeUnit.SECONDS).isParked()).isTrue();
        }
      }

      assertThat(count(pool, "idx_tup_read", "pg_stat_user_indexes", "inbox_parked") - before)
          .isEqualTo(64);
      assertThat(count(pool, "seq_scan", "pg_stat_user_tables", "inbox_parked")).isEqualTo(scans);
    }
  }

  private static InboxMessage copyOf(String key) {
    return InboxMessage.builder("T").keys(key).build();
  }

  /** Many rows of a new consumer group, beside those that the server has counted. */
  private static void fillUnknownScope() {
    dsl().execute("alter table inbox set (autovacuum_enabled = off)");
    dsl().execute("insert into inbox_scope values (null, null, null, null, 0, 4, 'g', 'T')");
    dsl()
        .execute(
            "insert into inbox (message_time, processed_at, body_fingerprint, scope_id, state,"
                + " dedup_key, message_id) select ms, ms, 0, 4, 0, 'k' || ms, 'id' from"
                + " generate_series(0, 19999) as ms");
  }

  private Janitor janitor(HikariDataSource pool) {
    dsl().execute("insert into inbox_scope values (null, null, null, null, 0, 1, 'g', 'T')");
    return Janitor.builder(DATABASE.database().dsl(pool), new PostgresDialect())
        .group("g", Retention.ofDays(1).byWallClock())
        .nanoTime(() -> nanos)
        .build();
  }

  /** Reads a counter of the only session of a pool, and of those that told theirs before. */
  private static long count(HikariDataSource pool, String counter, String view) {
    return count(pool, counter, view, "inbox");
  }

  private static long count(HikariDataSource pool, String counter, String view, String table) {
    DSLContext own = DATABASE.database().dsl(pool);
    own.execute("select pg_stat_force_next_flush()");
    return own.fetchSingle(
            "select sum(" + counter + ") from " + view + " where relname = '" + table + "'")
        .get(0, Long.class);
  }

  private static String planOfPurge(RowState state, Instant before) throws SQLException {
    AtomicReference<String> plan = new AtomicReference<>();
    try (Connection connection = DATABASE.database().dataSource().getConnection()) {
      new PostgresDialect()
          .purge(
              explaining(connection, plan),
              InboxSchema.ofConnection(),
              new PurgeBatch((short) 2, state, PurgeBatch.FROM_THE_FIRST, before, LIMIT));
    }
    return Objects.requireNonNull(plan.get(), "plan");
  }

  /** Has the server run the very statements, and say how it did. */
  private static Connection explaining(Connection connection, AtomicReference<String> plan) {
    return proxy(
        Connection.class,
        connection,
        (name, arguments, call) -> {
          if (!name.equals("prepareStatement")) {
            return call.run();
          }
          PreparedStatement statement =
              connection.prepareStatement("explain (analyze, format json) " + arguments[0]);
          return proxy(
              PreparedStatement.class,
              statement,
              (of, values, run) -> {
                if (!of.equals("executeUpdate")) {
                  return run.run();
                }
                try (ResultSet found = statement.executeQuery()) {
                  found.next();
                  plan.set(found.getString(1));
                  return 0;
                }
              });
        });
  }

  /** What a proxy does instead of a call. */
  private interface Instead {
    Object run(String method, Object[] arguments, Call call) throws Throwable;
  }

  /** The call itself. */
  private interface Call {
    Object run() throws Throwable;
  }

  private static <T> T proxy(Class<T> type, T target, Instead instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                instead.run(
                    method.getName(),
                    arguments,
                    () -> {
                      try {
                        return method.invoke(target, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    })));
  }

  private static List<Integer> numbers(String plan, String name) {
    return Pattern.compile("\"" + name + "\": (\\d+)")
        .matcher(plan)
        .results()
        .map(result -> Integer.parseInt(result.group(1)))
        .toList();
  }
}
