package io.txbox.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DatabaseFailedException;
import io.txbox.DedupKeys;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.SetupException;
import io.txbox.TransactionRefusedException;
import io.txbox.inbox.Inbox;
import io.txbox.migrations.Migrations;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.RowState;
import io.txbox.testkit.database.DatabaseExtension;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultTransactionProvider;
import org.jooq.impl.ThreadLocalTransactionProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only PostgreSQL does. */
class PostgresDialectIT {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private final InboxMessage message = InboxMessage.builder("T").build();

  private static DSLContext pool(Consumer<HikariConfig> customizer) {
    return DATABASE.database().dsl(DATABASE.database().dataSource(customizer));
  }

  private static Inbox inbox(DSLContext dsl, InboxHandler handler) {
    return Inbox.builder("g", dsl, new PostgresDialect())
        .handler("T", DedupKeys.messageId(), handler)
        .build();
  }

  // BC-08
  @Test
  void refusesToCommitOverASwallowedErrorThoughTheDriverWouldStaySilent() {
    Inbox inbox =
        inbox(
            pool(p -> p.addDataSourceProperty("raiseExceptionOnSilentRollback", "false")),
            (received, tx) ->
                assertThatThrownBy(() -> tx.execute("insert into no_such_table values (1)")));

    assertThatThrownBy(() -> inbox.receive(message))
        .isInstanceOf(TransactionRefusedException.class);
  }

  // BC-08
  @Test
  void seesWithoutTheGuardThatATransactionHasFailed() throws SQLException {
    try (Connection connection = DATABASE.database().dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> statement.execute("insert into no_such_table values (1)"));

      assertThatThrownBy(() -> new PostgresDialect().checkBeforeCommit(connection))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("FAILED");
    }
  }

  @Test
  void guardsTheConnectionAlsoByWayOfAnArray() {
    Inbox inbox =
        inbox(
            DATABASE.database().dsl(),
            (received, tx) ->
                tx.connection(
                    connection -> {
                      try (Statement statement = connection.createStatement();
                          ResultSet row = statement.executeQuery("select array[1]")) {
                        row.next();
                        row.getArray(1).getResultSet().getStatement().getConnection().commit();
                      }
                    }));

    assertThatThrownBy(() -> inbox.receive(message))
        .hasStackTraceContaining("is refused in a handler");
  }

  @Test
  void commitsDurablyThoughTheSessionDoesNot() {
    CompletableFuture<String> setting = new CompletableFuture<>();
    DSLContext careless = pool(p -> p.setConnectionInitSql("set synchronous_commit to off"));

    inbox(careless, (received, tx) -> setting.complete(show(tx, "synchronous_commit")))
        .receive(message);

    assertThat(setting).isCompletedWithValue("on");
    assertThat(show(careless, "synchronous_commit")).isEqualTo("off");
  }

  // BC-22
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 64})
  void leavesTheHandlersStatementsTheLockTimeoutOfTheSession(int rows) throws SQLException {
    List<InboxRow> claimed =
        IntStream.range(0, rows)
            .mapToObj(
                i ->
                    new InboxRow(
                        (short) 1,
                        "claim-of-" + rows + "-" + i,
                        RowState.PROCESSED,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        "id",
                        0))
            .toList();
    try (HikariDataSource pool =
            DATABASE
                .database()
                .dataSource(p -> p.setConnectionInitSql("set lock_timeout to '7s'"));
        Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      new PostgresDialect()
          .claim(connection, InboxSchema.ofConnection(), claimed, Duration.ofMillis(200));

      assertThat(show(DSL.using(connection), "lock_timeout")).isEqualTo("7s");
      connection.rollback();
    }
  }

  @Test
  void claimsAtReadCommittedThoughTheServersDefaultIsAnother() {
    CompletableFuture<String> setting = new CompletableFuture<>();
    DSLContext strict =
        pool(p -> p.setConnectionInitSql("set default_transaction_isolation to serializable"));

    inbox(strict, (received, tx) -> setting.complete(show(tx, "transaction_isolation")))
        .receive(message);

    assertThat(setting).isCompletedWithValue("read committed");
  }

  @Test
  void doesNotAcknowledgeWhatFailsAtCommit() {
    DSLContext dsl = DATABASE.database().dsl();
    dsl.execute("create table parent (id int primary key)");
    dsl.execute("create table child (parent int references parent deferrable initially deferred)");
    Inbox inbox = inbox(dsl, (received, tx) -> tx.execute("insert into child values (1)"));

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DatabaseFailedException.class);

    assertThat(dsl.fetchCount(DSL.table("child"))).isZero();
    dsl.execute("insert into parent values (1)");
    assertThat(inbox.receive(message).isProcessed()).isTrue();
  }

  @Test
  void usesTheTransactionProviderThatTheUserHas() {
    DSLContext dsl = DATABASE.database().dsl();
    List<String> calls = new CopyOnWriteArrayList<>();
    TransactionProvider jooqs =
        new DefaultTransactionProvider(dsl.configuration().connectionProvider());
    TransactionProvider users =
        new TransactionProvider() {
          @Override
          public void begin(TransactionContext context) {
            calls.add("begin");
            jooqs.begin(context);
          }

          @Override
          public void commit(TransactionContext context) {
            calls.add("commit");
            jooqs.commit(context);
          }

          @Override
          public void rollback(TransactionContext context) {
            calls.add("rollback");
            jooqs.rollback(context);
          }
        };
    Inbox inbox = inbox(DSL.using(dsl.configuration().derive(users)), (received, tx) -> {});
    inbox.receive(InboxMessage.builder("T").build());
    calls.clear();

    assertThat(inbox.receive(message).isProcessed()).isTrue();

    assertThat(calls).containsExactly("begin", "commit");
  }

  @Test
  void refusesAProviderThatBindsTheTransactionToTheThread() {
    DSLContext dsl = DATABASE.database().dsl();
    TransactionProvider threadBound =
        new ThreadLocalTransactionProvider(dsl.configuration().connectionProvider());

    assertThatThrownBy(
            () -> inbox(DSL.using(dsl.configuration().derive(threadBound)), (received, tx) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ThreadLocalTransactionProvider");
  }

  @Test
  void bindsAndReadsArraysThroughTheGuard() {
    CompletableFuture<Integer[]> read = new CompletableFuture<>();
    Inbox inbox =
        inbox(
            DATABASE.database().dsl(),
            (received, tx) ->
                tx.connection(
                    connection -> {
                      try (PreparedStatement select = connection.prepareStatement("select ?")) {
                        select.setArray(1, connection.createArrayOf("int4", new Object[] {1, 2}));
                        try (ResultSet row = select.executeQuery()) {
                          row.next();
                          read.complete((Integer[]) row.getArray(1).getArray());
                        }
                      }
                    }));

    inbox.receive(message);

    assertThat(read.join()).containsExactly(1, 2);
  }

  @Test
  void keepsToItsSchemaWhateverTheSettingsOfTheContext() {
    DSLContext dsl = DATABASE.database().dsl();
    dsl.execute("create schema elsewhere");
    Migrations.migrate(DATABASE.database().dataSource(), "elsewhere");
    DSLContext bent = DSL.using(dsl.configuration().derive(new Settings().withRenderSchema(false)));
    Inbox inbox =
        Inbox.builder("bent", bent, new PostgresDialect())
            .schema("elsewhere")
            .handler("T", DedupKeys.messageId(), (received, tx) -> {})
            .build();

    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(inbox.receive(message).isDuplicate()).isTrue();
    assertThat(dsl.fetchCount(DSL.table("elsewhere.inbox"))).isEqualTo(1);
  }

  // BC-41
  @Test
  void refusesADatabaseThatCannotHoldEveryKey() {
    DSLContext dsl = DATABASE.database().dsl();
    dsl.connection(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(
                "create database narrow encoding 'LATIN1' template template0 lc_collate 'C'"
                    + " lc_ctype 'C'");
          }
        });
    try {
      DSLContext narrow =
          pool(p -> p.setJdbcUrl(p.getJdbcUrl().replace(DATABASE.database().name(), "narrow")));
      assertThatThrownBy(() -> inbox(narrow, (received, tx) -> {}).check())
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("must be UTF8")
          .hasMessageContaining("is LATIN1");
    } finally {
      dsl.execute("drop database narrow with (force)");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "40001, TRANSIENT",
    "40P01, TRANSIENT",
    "55P03, LOCK_TIMEOUT",
    "57014, CANCELLED",
    "08006, OUTAGE",
    "08003, OUTAGE",
    "57P01, OUTAGE",
    "57P03, OUTAGE",
    "53300, OUTAGE",
    "53100, OUTAGE",
    "25006, OUTAGE",
    "23505, PERMANENT",
    "42P01, PERMANENT",
    "25P02, PERMANENT"
  })
  void tellsErrorsApartByTheirState(String state, FailureKind kind) {
    assertThat(new PostgresDialect().classify(new SQLException("forged", state))).isEqualTo(kind);
  }

  @Test
  void takesAnErrorWithoutStateForTheMessagesOwn() {
    assertThat(new PostgresDialect().classify(new SQLException("forged")))
        .isEqualTo(FailureKind.PERMANENT);
  }

  private static String show(DSLContext dsl, String setting) {
    return dsl.fetchSingle("show " + setting).get(0, String.class);
  }
}
