package io.txbox.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/**
 * Holds exactly what differs by database. Implementations are thread-safe.
 *
 * <p>The engine calls, in one transaction: {@link #claim}, then the handler, then {@link
 * #checkBeforeCommit}.
 */
public interface StoreDialect {
  /** Returns the jOOQ dialect families that a {@code DSLContext} for this database may have. */
  Set<SQLDialect> families();

  /**
   * Checks that the database is one that this dialect is for, and is set such that an inbox is true
   * on it.
   *
   * @throws io.txbox.SetupException if not, with what to do
   */
  void check(DSLContext dsl);

  /**
   * Inserts the rows whose keys are not there, and says which these are. Waits for an uncommitted
   * rival of the same key, and then decides by what became of it. Sees to it that the transaction,
   * in which no statement was run yet, is at READ COMMITTED and durable, whatever the session's
   * defaults are.
   *
   * @param rows at least one, each key once, all of one scope, sorted by key
   * @param wait how long to wait for a rival at most; statements after the claim are not bound by
   *     it
   * @throws SQLException among others, of kind {@link FailureKind#LOCK_TIMEOUT} or {@link
   *     FailureKind#CANCELLED}, if a rival was not done in time. The transaction must then be
   *     rolled back.
   */
  Claim claim(Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait)
      throws SQLException;

  /**
   * Reads the rows of these keys that are there, and no others: how long it takes depends on the
   * number of keys alone, whatever the server believes to know of a scope.
   *
   * @param keys at least one
   */
  List<KnownRow> find(
      Connection connection, InboxSchema schema, short scopeId, Collection<String> keys)
      throws SQLException;

  /**
   * Makes a transaction, in which no statement was run yet, one of READ COMMITTED, whatever the
   * session's default is. {@link #claim} does so by itself.
   */
  void readCommitted(Connection connection) throws SQLException;

  /**
   * Deletes rows, those first that were processed first. Passes over what another transaction has
   * locked, and so waits for nothing.
   *
   * @return how many were deleted; fewer than the limit if no more are there that are not locked
   */
  int purge(Connection connection, InboxSchema schema, PurgeBatch batch) throws SQLException;

  /** Asks the server for the time of day by its own clock, whatever the session's time zone. */
  Instant time(Connection connection) throws SQLException;

  /** Returns what the session is called: no two that are there at once have the same name. */
  String session(Connection connection) throws SQLException;

  /**
   * Checks, after the handler, that a commit will store what was written.
   *
   * @throws SQLException if the transaction has failed or ended
   */
  void checkBeforeCommit(Connection connection) throws SQLException;

  /** Says whether {@code $tag$ … $tag$} is a literal; else a dollar is a letter like others. */
  boolean dollarQuotes();

  /** Says whether two dashes begin a comment only with white space, or nothing, behind them. */
  boolean dashesNeedSpace();

  /** Says whether a statement with these first words, in capitals, commits by itself. */
  boolean commitsImplicitly(List<String> firstWords);

  /** Says what an error means, by its SQLState or vendor code. */
  FailureKind classify(SQLException error);
}
