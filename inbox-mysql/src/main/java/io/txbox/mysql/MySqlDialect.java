package io.txbox.mysql;

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
import org.jooq.SQLDialect;

/**
 * Speaks to MySQL 8.4 and newer, and to MariaDB 10.11 and newer, through the JDBC driver of either.
 * Which of the two it is it finds out by itself. Thread-safe.
 *
 * <p>Each transaction is told to run at READ COMMITTED, whatever the pool's default is: a claim
 * that waited for a rival and then reads an older snapshot would decide wrongly, and at REPEATABLE
 * READ claims of different keys would deadlock on the gaps between them.
 *
 * <p>A claim waits for a rival in whole seconds, since InnoDB knows no shorter wait. Where it may
 * wait for less than 100 ms, it looks again and again for as long, and does not wait. What a
 * handler runs waits for as long as its session says.
 */
public final class MySqlDialect implements StoreDialect {
  /** Set right after the claim, and there as long as the transaction is. */
  private static final String CLAIMED = "txbox_claimed";

  private final Map<InboxSchema, ClaimStatements> claims = new ConcurrentHashMap<>();
  private final Map<InboxSchema, FindStatement> finds = new ConcurrentHashMap<>();
  private final Map<InboxSchema, PurgeStatement> purges = new ConcurrentHashMap<>();
  private final boolean acceptsLostCommits;

  /** Makes a dialect for a server whose commits are durable; any other is refused at the start. */
  public MySqlDialect() {
    this(false);
  }

  private MySqlDialect(boolean acceptsLostCommits) {
    this.acceptsLostCommits = acceptsLostCommits;
  }

  /**
   * Makes a dialect for a server that may lose what it has committed when it or its machine dies,
   * since {@code innodb_flush_log_at_trx_commit} or {@code sync_binlog} is not 1. The effects of a
   * message and its inbox row are lost together, and a message that was acknowledged does not come
   * again. It is warned about at each start.
   */
  public static MySqlDialect acceptLostCommits() {
    return new MySqlDialect(true);
  }

  @Override
  public Set<SQLDialect> families() {
    return Set.of(SQLDialect.MYSQL, SQLDialect.MARIADB);
  }

  @Override
  public void check(DSLContext dsl) {
    ServerCheck.of(dsl).run(acceptsLostCommits);
  }

  @Override
  public Claim claim(Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait)
      throws SQLException {
    Claim claim =
        claims
            .computeIfAbsent(schema, named -> new ClaimStatements(named.inbox()))
            .on(connection)
            .run(rows, wait);
    if (claim instanceof Claim.Decided) {
      execute(connection, "SAVEPOINT " + CLAIMED);
    }
    return claim;
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
    // Not by UNIX_TIMESTAMP(…) of a local time: an hour of autumn is there twice.
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000")) {
      row.next();
      return Instant.ofEpochMilli(row.getLong(1));
    }
  }

  @Override
  public String session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID(), @@hostname, @@port")) {
      row.next();
      return row.getString(1) + " of " + row.getString(2) + ":" + row.getString(3);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A deadlock has rolled all of it back, the inbox row too, and what the handler did after it
   * ran in another transaction; a statement that commits by itself has stored the row before its
   * effects. Either way the savepoint that followed the claim is gone.
   */
  @Override
  public void checkBeforeCommit(Connection connection) throws SQLException {
    try {
      execute(connection, "RELEASE SAVEPOINT " + CLAIMED);
    } catch (SQLException e) {
      if (e.getErrorCode() != ErrorCodes.NO_SUCH_SAVEPOINT) {
        throw e;
      }
      throw new SQLException(
          "The transaction cannot be committed: the one that holds the inbox row is over. Either"
              + " the server has rolled it back, as it does after a deadlock, or something the"
              + " handler ran, such as a stored procedure, has committed it",
          ErrorCodes.BROKEN_OFF,
          e);
    }
  }

  @Override
  public boolean dollarQuotes() {
    return false;
  }

  @Override
  public boolean dashesNeedSpace() {
    return true;
  }

  @Override
  public boolean commitsImplicitly(List<String> firstWords) {
    return RefusedSql.contains(firstWords);
  }

  @Override
  public FailureKind classify(SQLException error) {
    return ErrorCodes.classify(error);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
