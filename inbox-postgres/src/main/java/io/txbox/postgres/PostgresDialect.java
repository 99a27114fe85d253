package io.txbox.postgres;

import io.txbox.SetupException;
import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.KnownRow;
import io.txbox.store.PurgeBatch;
import io.txbox.store.StoreDialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.DSLContext;
import org.jooq.Record3;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Speaks to PostgreSQL 15 and newer, through its own JDBC driver. Thread-safe.
 *
 * <p>Claims run at READ COMMITTED, whatever the pool's default is: a claim that waited for a rival
 * and then reads an older snapshot would decide wrongly. Each claim reports the level that it ran
 * at, so that on a pool with the right default it costs nothing to be sure; on another one, the
 * first transaction is begun again and from then on each sets the level itself.
 */
public final class PostgresDialect implements StoreDialect {
  private static final int MIN_VERSION = 150000;
  static final String READ_COMMITTED = "read committed";

  private final Map<InboxSchema, ClaimStatement> claims = new ConcurrentHashMap<>();
  private final Map<InboxSchema, FindStatement> finds = new ConcurrentHashMap<>();
  private final Map<InboxSchema, PurgeStatement> purges = new ConcurrentHashMap<>();
  private volatile boolean setsIsolation;

  @Override
  public Set<SQLDialect> families() {
    return Set.of(SQLDialect.POSTGRES);
  }

  @Override
  public void check(DSLContext dsl) {
    Record3<String, String, String> server =
        dsl.select(
                DSL.field("version()", String.class),
                DSL.field("current_setting('server_version_num')", String.class),
                DSL.field("current_setting('server_encoding')", String.class))
            .fetchSingle();
    String version = server.value1();
    if (!version.startsWith("PostgreSQL ")) {
      throw new SetupException("PostgresDialect is for PostgreSQL, but the server is " + version);
    }
    if (Integer.parseInt(server.value2()) < MIN_VERSION) {
      throw new SetupException("txbox needs PostgreSQL 15 or newer, but the server is " + version);
    }
    if (!server.value3().equals("UTF8")) {
      throw new SetupException(
          "The database's encoding must be UTF8, so that it holds every dedup key, but is "
              + server.value3()
              + ": create it by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0");
    }
  }

  @Override
  public Claim claim(Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait)
      throws SQLException {
    boolean setHere = setsIsolation;
    if (setHere) {
      readCommitted(connection);
    }
    ClaimStatement.Result result =
        claims
            .computeIfAbsent(schema, named -> new ClaimStatement(named.inbox()))
            .run(connection, rows, wait);
    if (!result.isolation().equals(READ_COMMITTED)) {
      if (setHere) {
        throw new SQLException(
            "A claim must run at READ COMMITTED, but the transaction is at "
                + result.isolation()
                + " although it was told otherwise");
      }
      setsIsolation = true;
      return new Claim.Again("it ran at " + result.isolation());
    }
    if (result.synchronousCommit().equals("off")) {
      execute(connection, "SET LOCAL synchronous_commit TO on");
    }
    return new Claim.Decided(result.claimed());
  }

  @Override
  public List<KnownRow> find(
      Connection connection, InboxSchema schema, short scopeId, Collection<String> keys)
      throws SQLException {
    return finds
        .computeIfAbsent(schema, named -> new FindStatement(named.inbox()))
        .run(connection, scopeId, keys);
  }

  @Override
  public void readCommitted(Connection connection) throws SQLException {
    execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
  }

  @Override
  public int purge(Connection connection, InboxSchema schema, PurgeBatch batch)
      throws SQLException {
    return purges
        .computeIfAbsent(schema, named -> new PurgeStatement(named.inbox()))
        .run(connection, batch);
  }

  @Override
  public Instant time(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")) {
      row.next();
      return Instant.ofEpochMilli(row.getLong(1));
    }
  }

  @Override
  public String session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT pg_backend_pid(), inet_server_addr(), inet_server_port()")) {
      row.next();
      return row.getString(1) + " of " + row.getString(2) + ":" + row.getString(3);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>After a failed statement PostgreSQL answers COMMIT with ROLLBACK, which old drivers, and new
   * ones that are set so, take for a success. The driver knows the transaction's state without
   * asking the server.
   */
  @Override
  public void checkBeforeCommit(Connection connection) throws SQLException {
    TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
    if (state != TransactionState.OPEN) {
      throw new SQLException(
          "The transaction cannot be committed: its state is "
              + state
              + (state == TransactionState.FAILED ? ", after an error that was swallowed" : ""),
          "25P02");
    }
  }

  @Override
  public boolean dollarQuotes() {
    return true;
  }

  @Override
  public boolean dashesNeedSpace() {
    return false;
  }

  @Override
  public boolean commitsImplicitly(List<String> firstWords) {
    return false;
  }

  @Override
  public FailureKind classify(SQLException error) {
    String state = error.getSQLState();
    if (state == null) {
      return FailureKind.PERMANENT;
    }
    return switch (state) {
      case "40001", "40P01" -> FailureKind.TRANSIENT;
      case "55P03" -> FailureKind.LOCK_TIMEOUT;
      case "57014" -> FailureKind.CANCELLED;
      case "25006" -> FailureKind.OUTAGE;
      default ->
          state.startsWith("08") || state.startsWith("53") || state.startsWith("57P0")
              ? FailureKind.OUTAGE
              : FailureKind.PERMANENT;
    };
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
