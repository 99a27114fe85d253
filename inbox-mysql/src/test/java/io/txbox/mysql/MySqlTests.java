package io.txbox.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.DedupKeys;
import io.txbox.DeliveryException;
import io.txbox.HandlerFailedException;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.SetupException;
import io.txbox.TransactionRefusedException;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.testkit.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only MySQL and MariaDB do, on either. */
abstract class MySqlTests {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final int THREADS = 16;
  private static final Duration PATIENT = Duration.ofSeconds(20);

  final String group = "dialect-" + NEXT.incrementAndGet();
  final InboxMessage message = InboxMessage.builder("T").keys("a").build();

  abstract TestDatabase database();

  /** Returns an address for the same server by the other product's driver. */
  abstract String urlByTheOtherDriver(String url);

  @BeforeEach
  void emptyTable() {
    dsl().execute("DROP TABLE IF EXISTS effect");
    dsl().execute("CREATE TABLE effect (name varchar(100) NOT NULL PRIMARY KEY, n int NOT NULL)");
    dsl().execute("INSERT INTO effect VALUES ('A', 0), ('B', 0)");
  }

  private DSLContext dsl() {
    return database().dsl();
  }

  DSLContext pool(Consumer<HikariConfig> customizer) {
    return database().dsl(database().dataSource(customizer));
  }

  Inbox inbox(DSLContext dsl, InboxHandler handler) {
    return Inbox.builder(group, dsl, new MySqlDialect())
        .handler("T", DedupKeys.keys(), handler)
        .build();
  }

  private Inbox inbox(InboxHandler handler) {
    return inbox(dsl(), handler);
  }

  static void count(DSLContext tx, String name) {
    tx.execute("UPDATE effect SET n = n + 1 WHERE name = ?", name);
  }

  private int counted(String name) {
    return counted(dsl(), name);
  }

  private static int counted(DSLContext tx, String name) {
    return tx.fetchSingle("SELECT n FROM effect WHERE name = ?", name).get(0, Integer.class);
  }

  private static String session(DSLContext dsl, String variable) {
    return dsl.fetchSingle("SELECT @@SESSION." + variable).get(0, String.class);
  }

  // What the purge reads

  @Test
  void aBatchOfAPurgeReadsItsRowsAndNoOthers() throws SQLException {
    fillForThePurge();
    try (Connection connection = open()) {
      long asking = -rowsRead(connection) + rowsRead(connection);
      long before = rowsRead(connection) + asking;
      int purged = purge(connection, RowState.PROCESSED, Instant.ofEpochMilli(30_000));
      long read = rowsRead(connection) - before;
      connection.rollback();

      assertThat(purged).isEqualTo(500);
      // By the index, into the list and out of it, and by the key, of 8,000 that may go.
      assertThat(read).isBetween(1_000L, 2_510L);
    }
  }

  @Test
  void aBatchThatFindsNothingReadsNothing() throws SQLException {
    fillForThePurge();
    try (Connection connection = open()) {
      long asking = -rowsRead(connection) + rowsRead(connection);
      long before = rowsRead(connection) + asking;
      int purged = purge(connection, RowState.DISCARDED, Instant.EPOCH);
      long read = rowsRead(connection) - before;
      connection.rollback();

      assertThat(purged).isZero();
      assertThat(read).isLessThan(10);
    }
  }

  private static int purge(Connection connection, RowState state, Instant before)
      throws SQLException {
    return new MySqlDialect()
        .purge(
            connection,
            InboxSchema.ofConnection(),
            new PurgeBatch((short) 102, state, PurgeBatch.FROM_THE_FIRST, before, 500));
  }

  /** Rows of three scopes and three states, of times that have nothing to do with their keys. */
  private void fillForThePurge() {
    dsl().execute("delete from inbox where scope_id between 101 and 103");
    InboxTable inbox = InboxSchema.ofConnection().inbox();
    for (int from = 0; from < 30_000; from += 1_000) {
      var insert =
          dsl()
              .insertInto(
                  inbox,
                  inbox.scopeId,
                  inbox.dedupKey,
                  inbox.state,
                  inbox.messageTime,
                  inbox.processedAt,
                  inbox.messageId,
                  inbox.bodyFingerprint);
      for (int ms = from; ms < from + 1_000; ms++) {
        Instant at = Instant.ofEpochMilli(ms);
        short state = (short) (ms % 50 < 40 ? 0 : 1 + ms % 2);
        String key = UUID.nameUUIDFromBytes(new byte[] {(byte) ms, (byte) (ms >> 8)}).toString();
        insert = insert.values((short) (101 + ms % 3), key, state, at, at, "id", 0L);
      }
      insert.execute();
    }
    dsl().fetch("analyze table inbox");
  }

  /** Returns how many rows the server has read for this connection, in whichever way. */
  private long rowsRead(Connection connection) {
    return DSL
        .using(connection, database().dialect())
        .fetch("show session status like 'Handler_read%'")
        .stream()
        .mapToLong(row -> row.get(1, Long.class))
        .sum();
  }

  // Isolation and lock waits

  // BC-21
  @ParameterizedTest
  @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE", "READ UNCOMMITTED"})
  void runsAtReadCommittedWhateverTheSessionsDefault(String level) {
    DSLContext dsl =
        pool(p -> p.setConnectionInitSql("SET SESSION TRANSACTION ISOLATION LEVEL " + level));
    List<Integer> seen = new CopyOnWriteArrayList<>();
    Inbox inbox =
        inbox(
            dsl,
            (received, tx) -> {
              try (Connection other = open()) {
                count(DSL.using(other, database().dialect()), "A");
                seen.add(counted(tx, "A"));
                other.commit();
                seen.add(counted(tx, "A"));
              }
            });

    inbox.receive(message);

    assertThat(seen).containsExactly(0, 1);
  }

  @Test
  void aHandlerWaitsForAsLongAsItsSessionSays() {
    CompletableFuture<String> seen = new CompletableFuture<>();
    DSLContext dsl =
        pool(
            p -> {
              p.setMaximumPoolSize(1);
              p.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 77");
            });
    Inbox inbox =
        inbox(dsl, (received, tx) -> seen.complete(session(tx, "innodb_lock_wait_timeout")));

    inbox.receive(message);
    inbox.receive(message); // A duplicate: error 1062 and a second round.

    assertThat(seen).isCompletedWithValue("77");
    assertThat(session(dsl, "innodb_lock_wait_timeout")).isEqualTo("77");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 500})
  void aClaimThatFailsLeavesTheSessionAsItWas(long wait) throws SQLException {
    try (Connection holder = open();
        Connection waiter = open();
        Statement setting = waiter.createStatement()) {
      setting.execute("SET SESSION innodb_lock_wait_timeout = 77");
      waiter.commit();
      claim(holder, "a");

      assertThatThrownBy(() -> claim(waiter, Duration.ofMillis(wait), "a"))
          .isInstanceOf(SQLException.class);

      waiter.rollback();
      assertThat(session(DSL.using(waiter, database().dialect()), "innodb_lock_wait_timeout"))
          .isEqualTo("77");
    }
  }

  // BC-06
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCopyThatWaitedInVainIsNeitherRunNorTakenForADuplicate(boolean holderCommits)
      throws Exception {
    DSLContext hasty =
        pool(p -> p.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1"));
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch waitedInVain = new CountDownLatch(1);
    Inbox first =
        inbox(
            hasty,
            (received, tx) -> {
              count(tx, "A");
              held.countDown();
              pass(end);
              if (!holderCommits) {
                throw new IllegalStateException("no");
              }
            });
    Inbox second =
        Inbox.builder(group, hasty, new MySqlDialect())
            .claimWait(Duration.ofSeconds(1))
            .listener(
                event -> {
                  if (event instanceof InboxEvent.Busy) {
                    waitedInVain.countDown();
                  }
                })
            .handler("T", DedupKeys.keys(), (received, tx) -> count(tx, "A"))
            .build();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture<?> copy1 =
          CompletableFuture.runAsync(() -> first.receive(message), threads);
      pass(held);
      CompletableFuture<Boolean> copy2 =
          CompletableFuture.supplyAsync(() -> second.receive(message).isProcessed(), threads);
      pass(waitedInVain);
      assertThat(copy2).isNotDone();
      end.countDown();

      assertThat(copy2).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(!holderCommits);
      assertThat(copy1.handle((ok, failure) -> failure == null))
          .succeedsWithin(Duration.ofMinutes(1))
          .isEqualTo(holderCommits);
      assertThat(counted("A")).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
  }

  // Deadlocks

  // BC-24
  @Test
  void sixteenThreadsOfNewKeysMeetNoDeadlock() throws Exception {
    List<InboxEvent> events = new ArrayList<>();
    Inbox inbox =
        Inbox.builder(group, pool(p -> p.setMaximumPoolSize(THREADS)), new MySqlDialect())
            .listener(
                event -> {
                  if (!(event instanceof InboxEvent.Processed)) {
                    synchronized (events) {
                      events.add(event);
                    }
                  }
                })
            .handler("T", DedupKeys.keys(), (received, tx) -> {})
            .build();
    inbox.receive(message);

    inThreads(
        thread ->
            IntStream.range(0, 625)
                .forEach(
                    i ->
                        inbox.receive(
                            InboxMessage.builder("T").keys("k" + (i * THREADS + thread)).build())));

    assertThat(events).isEmpty();
    assertThat(dsl().fetchCount(DSL.table("inbox"), scopeOf(group))).isEqualTo(10_001);
  }

  // BC-24
  @Test
  void sixteenThreadsOfBatchesOfNewKeysMeetNoDeadlock() throws Exception {
    inThreads(
        thread -> {
          try (Connection connection = open()) {
            for (int round = 0; round < 50; round++) {
              String[] keys = new String[32];
              for (int i = 0; i < keys.length; i++) {
                keys[i] = "n%05d".formatted((round * keys.length + i) * THREADS + thread);
              }
              assertThat(claim(connection, keys)).isEqualTo(new Claim.Decided(Set.of(keys)));
              connection.commit();
            }
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  // BC-25
  @Test
  void overlappingBatchesInOppositeOrderShareOutTheirKeys() throws Exception {
    MySqlDialect dialect = new MySqlDialect();
    for (int round = 0; round < 200; round++) {
      String[] keys = {"o" + round + "a", "o" + round + "b", "o" + round + "c"};
      List<String> claimed = new ArrayList<>();
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        List<CompletableFuture<Void>> both = new ArrayList<>();
        for (int rival = 0; rival < 2; rival++) {
          both.add(
              CompletableFuture.runAsync(
                  () -> {
                    Set<String> mine = claimAndCommit(dialect, keys);
                    synchronized (claimed) {
                      claimed.addAll(mine);
                    }
                  },
                  threads));
        }
        both.forEach(CompletableFuture::join);
      } finally {
        threads.shutdown();
      }
      assertThat(claimed).as("round " + round).containsExactlyInAnyOrder(keys);
    }
  }

  /** Again and again, as the engine does, if a deadlock or a rival's coming and going wants it. */
  private Set<String> claimAndCommit(MySqlDialect dialect, String... keys) {
    while (true) {
      try (Connection connection = open()) {
        try {
          if (claim(connection, keys) instanceof Claim.Decided decided) {
            connection.commit();
            return decided.claimed();
          }
        } catch (SQLException e) {
          assertThat(dialect.classify(e)).isEqualTo(FailureKind.TRANSIENT);
        }
        connection.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  // BC-07
  @Test
  void aDeadlockThatTheHandlerHidesDoomsTheAttempt() throws Exception {
    CountDownLatch bothHold = new CountDownLatch(2);
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            (received, tx) -> {
              count(tx, "A");
              if (runs.incrementAndGet() == 1) {
                bothHold.countDown();
                pass(bothHold);
              }
              try {
                count(tx, "B");
              } catch (RuntimeException hidden) {
                // As in the field: it goes on.
              }
              tx.execute("UPDATE effect SET n = n + 100 WHERE name = 'B'");
            });
    CompletableFuture<Void> rival =
        CompletableFuture.runAsync(
            () -> {
              try {
                dsl()
                    .transaction(
                        tx -> {
                          // The one that has changed less is rolled back: it must not be this one.
                          for (int i = 0; i < 50; i++) {
                            tx.dsl().execute("INSERT INTO effect VALUES (?, 0)", "ballast " + i);
                          }
                          count(tx.dsl(), "B");
                          bothHold.countDown();
                          pass(bothHold);
                          count(tx.dsl(), "A");
                        });
              } catch (RuntimeException victim) {
                throw new AssertionError("the rival was the victim", victim);
              }
            });

    assertThat(inbox.receive(message).isProcessed()).isTrue();

    assertThat(rival).succeedsWithin(Duration.ofMinutes(1));
    assertThat(runs).hasValue(2);
    assertThat(counted("A")).isEqualTo(2);
    assertThat(counted("B")).isEqualTo(102);
    assertThat(inbox.receive(message).isDuplicate()).isTrue();
  }

  // Transactions that end too early

  // BC-54
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE other (id int)",
        "CREATE TEMPORARY TABLE inbox (id int)",
        "CREATE INDEX i ON effect (n)",
        "CREATE USER u",
        "TRUNCATE TABLE effect",
        "/* x */ truncate effect",
        "/*! TRUNCATE TABLE effect */",
        "DROP TABLE effect",
        "ALTER TABLE effect ADD x int",
        "RENAME TABLE effect TO other",
        "COMMIT",
        "SET autocommit = 1",
        "SET @a = 1, autocommit = 1",
        "SET @a = 1, @b = 2, @c = 3, @@autocommit = 1",
        "SET @a = 1, @b = 2, @c = 3, @d = 4, autocommit = 1",
        "SET @@SESSION.unique_checks = 0",
        "SET LOCAL innodb_lock_wait_timeout = 1",
        "SET @a = 1, unique_checks = 0",
        "SET @a = 1, sql_mode = 'NO_BACKSLASH_ESCAPES'",
        "/*!50000COMMIT*/",
        "SET @a = 5 --1, autocommit = 1",
        "SET NAMES latin1",
        "LOCK TABLES effect WRITE",
        "UNLOCK TABLES",
        "ANALYZE TABLE effect",
        "OPTIMIZE TABLE effect",
        "FLUSH TABLES",
        "GRANT SELECT ON *.* TO root",
        "START TRANSACTION",
        "BEGIN",
        "XA START 'x'",
        "USE mysql",
        "PREPARE s FROM 'COMMIT'",
        "EXECUTE IMMEDIATE 'COMMIT'"
      })
  void refusesWhatCommitsByItself(String sql) {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            (received, tx) -> {
              count(tx, "A");
              if (runs.incrementAndGet() == 1) {
                try {
                  tx.connection(
                      c -> {
                        try (Statement statement = c.createStatement()) {
                          statement.execute(sql);
                        }
                      });
                } finally {
                  count(tx, "B");
                }
              }
            });

    assertThatThrownBy(() -> inbox.receive(message))
        .isInstanceOf(DeliveryException.class)
        .hasStackTraceContaining("is refused in a handler");

    assertThat(counted("A")).isZero();
    assertThat(counted("B")).isZero();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(counted("A")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DROP TEMPORARY TABLE IF EXISTS scratch",
        "SET @total = 1",
        "SET @total = 1, @other = 2",
        "SELECT n INTO @total FROM effect WHERE name = 'A'",
        "INSERT INTO effect SELECT 'C', n FROM effect WHERE name = 'A'",
        "REPLACE INTO effect VALUES ('D', 1)",
        "WITH c AS (SELECT 1) SELECT * FROM c",
        "DO SLEEP(0)",
        "SAVEPOINT mine"
      })
  void letsAHandlerDoWhatEndsNothing(String sql) {
    assertThat(inbox((received, tx) -> tx.execute(sql)).receive(message).isProcessed()).isTrue();
  }

  // BC-54
  @Test
  void reportsWhatAProcedureHasCommitted() {
    dsl().execute("DROP PROCEDURE IF EXISTS sneaky");
    dsl().connection(c -> c.createStatement().execute("CREATE PROCEDURE sneaky() COMMIT"));
    Inbox inbox = inbox((received, tx) -> tx.execute("CALL sneaky()"));

    assertThatThrownBy(() -> inbox.receive(message))
        .isInstanceOf(DeliveryException.class)
        .hasStackTraceContaining("the one that holds the inbox row is over");
  }

  @Test
  void aProcedureThatIsCalledByAnEscapeRunsByItself() {
    dsl().execute("DROP PROCEDURE IF EXISTS sneaky");
    dsl().connection(c -> c.createStatement().execute("CREATE PROCEDURE sneaky() COMMIT"));
    Inbox inbox =
        inbox(
            (received, tx) -> {
              tx.execute("INSERT INTO effect VALUES (?, 1)", received.keys().orElseThrow());
              if (received.keys().get().equals("k3")) {
                tx.connection(c -> c.prepareCall("{call sneaky()}").execute());
              }
            });

    List<CompletableFuture<Receipt>> receipts = together(inbox, "k1", "k2", "k3", "k4");

    assertThat(receipts.get(2)).failsWithin(PATIENT);
    for (int i : new int[] {0, 1, 3}) {
      assertThat(receipts.get(i)).succeedsWithin(PATIENT);
      assertThat(receipts.get(i).join().isProcessed()).isTrue();
    }
    assertThat(counted("k1") + counted("k2") + counted("k4")).isEqualTo(3);
  }

  @Test
  void aProcedureThatCommitsFailsAllOfItsBatch() {
    dsl().execute("DROP PROCEDURE IF EXISTS sneaky");
    dsl().connection(c -> c.createStatement().execute("CREATE PROCEDURE sneaky() COMMIT"));
    Inbox inbox =
        Inbox.builder(group, dsl(), new MySqlDialect())
            .batchHandler("T", DedupKeys.keys(), (received, tx) -> tx.execute("CALL sneaky()"))
            .build();

    for (CompletableFuture<Receipt> receipt : together(inbox, "a", "b", "c", "d")) {
      assertThat(receipt).failsWithin(PATIENT);
    }
  }

  /** Hands messages over such that they share a transaction. */
  private List<CompletableFuture<Receipt>> together(Inbox inbox, String... keys) {
    try (InboxLanes lanes = new InboxLanes(group, inbox, LaneSettings.DEFAULTS.withLanes(1))) {
      lanes.pause();
      List<CompletableFuture<Receipt>> receipts =
          lanes.submit(
              List.of(keys).stream()
                  .map(key -> InboxMessage.builder("T").keys(key).build())
                  .toList());
      lanes.resume();
      CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new))
          .exceptionally(any -> null)
          .join();
      return receipts;
    }
  }

  @Test
  void aSessionThatSomebodyLeftInAutocommitDoesNotCommitAClaim() {
    dsl().execute("DROP PROCEDURE IF EXISTS careless");
    dsl()
        .connection(
            c -> c.createStatement().execute("CREATE PROCEDURE careless() SET autocommit = 1"));
    DSLContext dsl =
        pool(
            p -> {
              p.setMaximumPoolSize(1);
              p.setAutoCommit(false);
            });
    Inbox careless = inbox(dsl, (received, tx) -> tx.execute("CALL careless()"));
    Inbox failing =
        inbox(
            dsl,
            (received, tx) -> {
              count(tx, "A");
              throw new IllegalStateException("no");
            });
    failing.check();
    assertThatThrownBy(() -> careless.receive(message)).isInstanceOf(DeliveryException.class);

    InboxMessage next = InboxMessage.builder("T").keys("next").build();
    assertThatThrownBy(() -> failing.receive(next)).isInstanceOf(HandlerFailedException.class);
    assertThat(counted("A")).isZero();
    assertThat(inbox(dsl, (received, tx) -> count(tx, "A")).receive(next).isProcessed()).isTrue();
    assertThat(counted("A")).isEqualTo(1);
  }

  @Test
  void aClaimDoesNotWaitForeverForATableThatIsLocked() throws SQLException {
    try (Connection backup = open();
        Statement lock = backup.createStatement();
        Connection connection = open()) {
      lock.execute("LOCK TABLES inbox READ");
      try {
        assertThatThrownBy(() -> claim(connection, Duration.ofSeconds(1), "a"))
            .isInstanceOfSatisfying(
                SQLException.class,
                e ->
                    assertThat(new MySqlDialect().classify(e)).isEqualTo(FailureKind.LOCK_TIMEOUT));
        connection.rollback();
      } finally {
        lock.execute("UNLOCK TABLES");
      }
    }
  }

  @Test
  void seesWithoutTheGuardThatATransactionIsAnotherOne() throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      claim(connection, "a");
      statement.execute("ROLLBACK");
      statement.execute("UPDATE effect SET n = n + 1");

      assertThatThrownBy(() -> new MySqlDialect().checkBeforeCommit(connection))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("is over");
      connection.rollback();
    }
  }

  // Keys

  // BC-09, BC-10, BC-11
  @ParameterizedTest
  @ValueSource(strings = {"", "STRICT_ALL_TABLES", "ANSI_QUOTES,PIPES_AS_CONCAT"})
  void tellsKeysApartWhateverTheSqlMode(String sqlMode) {
    String prefix = "k".repeat(254);
    List<String> keys =
        List.of(
            "abc",
            "ABC",
            "äbc",
            "ÄBC",
            "abc ",
            "abc\t",
            "ａｂｃ",
            "a\\bc",
            "a'bc",
            prefix + "1",
            prefix + "2",
            prefix + "1 ",
            prefix + "11",
            prefix + "12",
            "k\0z",
            "k\0y");
    Inbox inbox =
        inbox(
            pool(p -> p.setConnectionInitSql("SET sql_mode = '" + sqlMode + "'")),
            (received, tx) -> count(tx, "A"));

    for (String key : keys) {
      InboxMessage one = InboxMessage.builder("T").keys(key).build();
      assertThat(inbox.receive(one).isProcessed()).as(key).isTrue();
      assertThat(inbox.receive(one).duplicateCause()).as(key).contains(DuplicateCause.REDELIVERY);
    }
    assertThat(counted("A")).isEqualTo(keys.size());
  }

  // BC-10
  @Test
  void tellsGroupsAndTopicsApartByCase() {
    AtomicInteger runs = new AtomicInteger();
    for (String name : List.of("Orders", "orders", "ORDERS ", "órders")) {
      Inbox.builder(name + group, dsl(), new MySqlDialect())
          .handler("T", DedupKeys.keys(), (received, tx) -> runs.incrementAndGet())
          .handler("t", DedupKeys.keys(), (received, tx) -> runs.incrementAndGet())
          .build()
          .receive(message);
    }
    inbox((received, tx) -> runs.incrementAndGet()).receive(message);
    Inbox.builder(group, dsl(), new MySqlDialect())
        .handler("t", DedupKeys.keys(), (received, tx) -> runs.incrementAndGet())
        .build()
        .receive(InboxMessage.builder("t").keys("a").build());

    assertThat(runs).hasValue(6);
  }

  // Times

  // BC-38, BC-39
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-03-29T01:00:10.123Z",
        "2026-10-25T00:30:00.456Z",
        "2026-10-25T01:30:00.789Z"
      })
  void keepsTimesToTheMillisecondInAnHourThatIsLeftOutOrComesTwice(String moment) {
    Instant now = Instant.parse(moment);
    LondonZone.load(dsl());
    DSLContext london =
        pool(
            p ->
                p.setConnectionInitSql(
                    "SET time_zone = '" + LondonZone.NAME + "', sql_mode = 'STRICT_ALL_TABLES'"));
    london.execute("CREATE TABLE IF NOT EXISTS clock (t timestamp NULL)");
    assertThatThrownBy(() -> london.execute("INSERT INTO clock VALUES ('2026-03-29 01:30:00')"))
        .hasMessageContaining("Incorrect datetime value");

    Inbox.builder(group, london, new MySqlDialect())
        .clock(() -> now)
        .handler("T", DedupKeys.keys(), (received, tx) -> {})
        .build()
        .receive(InboxMessage.builder("T").keys("a").bornAt(now).storedAt(now).build());

    InboxSchema schema = InboxSchema.ofConnection();
    var row = dsl().selectFrom(schema.inbox()).where(scopeOf(group)).fetchSingle();
    assertThat(row.get(schema.inbox().messageTime)).isEqualTo(now);
    assertThat(row.get(schema.inbox().processedAt)).isEqualTo(now);
  }

  // Drivers

  static List<String> driverProperties() {
    return List.of(
        "useServerPrepStmts=true",
        "cachePrepStmts=true",
        "useAffectedRows=true",
        "rewriteBatchedStatements=true",
        "allowMultiQueries=true",
        "useLocalSessionState=true",
        "useLocalTransactionState=true",
        "elideSetAutoCommits=true",
        "useReadAheadInput=false",
        "useCompression=true",
        "useBulkStmts=true",
        "dumpQueriesOnException=true");
  }

  @ParameterizedTest
  @MethodSource("driverProperties")
  void holdsWithWhatDriversCanBeSetTo(String property) {
    String[] parts = property.split("=", 2);
    assertHolds(pool(p -> p.addDataSourceProperty(parts[0], parts[1])));
  }

  @Test
  void holdsThroughTheOtherProductsDriverToo() {
    DSLContext other =
        database()
            .dsl(
                database()
                    .dataSource(p -> p.setJdbcUrl(urlByTheOtherDriver(database().jdbcUrl()))));
    assertHolds(other);
  }

  void assertHolds(DSLContext dsl) {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            dsl,
            (received, tx) -> {
              count(tx, "A");
              if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("no");
              }
            });
    inbox.check();
    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(HandlerFailedException.class);
    assertThat(counted("A")).isZero();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(inbox.receive(message).duplicateCause()).contains(DuplicateCause.REDELIVERY);
    assertThat(inbox.receive(InboxMessage.builder("T").keys("ä€😀 \\'").build()).isProcessed())
        .isTrue();
    assertThat(counted("A")).isEqualTo(2);
    Inbox hiding =
        inbox(
            dsl,
            (received, tx) ->
                assertThatThrownBy(() -> tx.execute("insert into no_such_table values (1)")));
    assertThatThrownBy(() -> hiding.receive(InboxMessage.builder("T").keys("hiding").build()))
        .isInstanceOf(TransactionRefusedException.class);
  }

  // Checks at the start

  @Test
  void startsOnAServerWithItsDefaults() {
    assertThatCode(() -> new MySqlDialect().check(dsl())).doesNotThrowAnyException();
  }

  @Test
  @Tag("alone")
  void refusesAServerThatMayLoseItsCommitsUnlessThatIsAccepted() {
    dsl().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    try {
      assertThatThrownBy(() -> new MySqlDialect().check(dsl()))
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("innodb_flush_log_at_trx_commit=2")
          .hasMessageContaining("acceptLostCommits");
      assertThatCode(() -> MySqlDialect.acceptLostCommits().check(dsl()))
          .doesNotThrowAnyException();
    } finally {
      dsl().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'SET unique_checks = 0', unique_checks",
    "'SET character_set_connection = latin1', as it is",
    "'SET completion_type = CHAIN', completion_type=CHAIN",
    "'SET sql_select_limit = 1', sql_select_limit",
  })
  void refusesASessionOnWhichItWouldNotBeTrue(String initSql, String named) {
    DSLContext dsl = pool(p -> p.setConnectionInitSql(initSql));

    assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining(named);
  }

  @ParameterizedTest
  @ValueSource(strings = {"autoReconnect", "transactionReplay"})
  void refusesADriverThatGoesOnWithATransactionOnAnotherConnection(String property) {
    DSLContext dsl =
        pool(p -> p.setJdbcUrl(database().jdbcUrl() + "?" + property + "=true&tcpKeepAlive=true"));

    assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining(property);
  }

  @Test
  void refusesTheOtherProductsJooqDialect() {
    SQLDialect other =
        database().dialect() == SQLDialect.MYSQL ? SQLDialect.MARIADB : SQLDialect.MYSQL;

    assertThatThrownBy(
            () -> inbox(DSL.using(database().dataSource(), other), (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("SQLDialect." + database().dialect());
  }

  // Errors

  @ParameterizedTest
  @CsvSource({
    "1213, 40001, TRANSIENT",
    "1020, HY000, TRANSIENT",
    "3101, 40000, TRANSIENT",
    "1205, HY000, LOCK_TIMEOUT",
    "3572, HY000, LOCK_TIMEOUT",
    "1317, 70100, CANCELLED",
    "3024, HY000, CANCELLED",
    "1969, 70100, CANCELLED",
    "0, 08S01, OUTAGE",
    "2013, 08S01, OUTAGE",
    "1040, 08004, OUTAGE",
    "1053, 08S01, OUTAGE",
    "1290, HY000, OUTAGE",
    "1792, 25006, OUTAGE",
    "1836, HY000, OUTAGE",
    "1114, HY000, OUTAGE",
    "1021, HY000, OUTAGE",
    "1047, 08S01, OUTAGE",
    "1062, 23000, PERMANENT",
    "1146, 42S02, PERMANENT",
    "1305, 42000, PERMANENT",
    "1406, 22001, PERMANENT"
  })
  void tellsErrorsApartByTheirCode(int code, String state, FailureKind kind) {
    assertThat(new MySqlDialect().classify(new SQLException("forged", state, code)))
        .isEqualTo(kind);
  }

  @Test
  void takesADriversOwnLimitForACancelledStatement() {
    assertThat(new MySqlDialect().classify(new SQLTimeoutException("forged")))
        .isEqualTo(FailureKind.CANCELLED);
  }

  @Test
  void knowsALimitOfTheDriverThatPasses() {
    assertThatThrownBy(
            () ->
                dsl()
                    .connection(
                        c -> {
                          try (Statement statement = c.createStatement()) {
                            statement.setQueryTimeout(1);
                            statement.execute("SELECT SLEEP(20) FROM effect");
                          }
                        }))
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(new MySqlDialect().classify(e)).isEqualTo(FailureKind.CANCELLED));
  }

  @Test
  void takesAReadOnlyConnectionForAnOutage() {
    DSLContext readOnly = pool(p -> p.setReadOnly(true));

    assertThatThrownBy(() -> readOnly.execute("UPDATE effect SET n = 1 WHERE name = 'A'"))
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(new MySqlDialect().classify(e)).isEqualTo(FailureKind.OUTAGE));
  }

  static Condition scopeOf(String group) {
    InboxSchema schema = InboxSchema.ofConnection();
    return schema
        .inbox()
        .scopeId
        .in(
            DSL.select(schema.scope().id)
                .from(schema.scope())
                .where(schema.scope().consumerGroup.eq(group)));
  }

  /**
   * An administrator's way; a connection that kills itself is only told that it was interrupted.
   */
  static void breakConnectionOf(DSLContext tx, TestDatabase database) {
    long id = tx.fetchSingle("SELECT CONNECTION_ID()").get(0, Long.class);
    database.dsl(database.dataSource()).execute("KILL CONNECTION " + id);
    tx.execute("UPDATE business_effect SET effect = effect");
  }

  private Connection open() throws SQLException {
    Connection connection = database().dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private Claim claim(Connection connection, String... keys) throws SQLException {
    return claim(connection, PATIENT, keys);
  }

  private Claim claim(Connection connection, Duration wait, String... keys) throws SQLException {
    List<InboxRow> rows =
        List.of(keys).stream()
            .map(
                key ->
                    new InboxRow(
                        (short) 1,
                        group + key,
                        RowState.PROCESSED,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        "id",
                        7))
            .toList();
    Claim claim = new MySqlDialect().claim(connection, InboxSchema.ofConnection(), rows, wait);
    if (claim instanceof Claim.Decided decided) {
      Set<String> claimed = new HashSet<>();
      decided.claimed().forEach(key -> claimed.add(key.substring(group.length())));
      return new Claim.Decided(claimed);
    }
    return claim;
  }

  private static void inThreads(Consumer<Integer> work) {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      IntStream.range(0, THREADS)
          .mapToObj(thread -> CompletableFuture.runAsync(() -> work.accept(thread), threads))
          .toList()
          .forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
  }

  private static void pass(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
  }
}
