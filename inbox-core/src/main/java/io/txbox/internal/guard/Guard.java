package io.txbox.internal.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jooq.Configuration;
import org.jooq.ConnectionProvider;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConnectionProvider;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a handler and the transaction that it shares with the inbox row: whatever the
 * handler does with it, it can neither end the transaction, nor hide an SQL error from us, nor use
 * it after it has returned.
 *
 * <p>A swallowed error must not be committed over. PostgreSQL has aborted the transaction by then
 * and answers COMMIT with ROLLBACK; after a deadlock MySQL has rolled it back and begun another
 * one, without the inbox row.
 *
 * <p>Thread-safe: a handler may hand its {@code DSLContext} to other threads, whose statements take
 * turns; {@link #close()} waits for the one that runs.
 */
public final class Guard implements AutoCloseable {
  private final SqlGate gate;
  private final ReentrantLock turn = new ReentrantLock();
  private final List<SQLException> errors = new ArrayList<>();
  private final IdentityHashMap<Savepoint, Integer> errorsBefore = new IdentityHashMap<>();
  private final Connection guarded;
  private final boolean shared;
  private Optional<SQLException> misuse = Optional.empty();
  private Optional<SQLException> ownTransaction = Optional.empty();
  private boolean closed;

  private Guard(Connection connection, SqlGate gate, boolean shared) {
    this.gate = gate;
    this.shared = shared;
    this.guarded = new GuardedJdbc(this).connection(connection);
  }

  /**
   * Guards a connection on which a transaction runs.
   *
   * @param shared whether other handlers run in the transaction too, so that what would change it
   *     for them is refused: see {@link #ownTransaction()}
   */
  public static Guard over(Connection connection, SqlGate gate, boolean shared) {
    return new Guard(connection, gate, shared);
  }

  /** Returns the transaction as a handler may use it, with the settings of a configuration. */
  public DSLContext tx(Configuration configuration) {
    Configuration own =
        configuration
            .derive()
            .set(new DefaultConnectionProvider(guarded))
            .set(new SavepointTransactionProvider());
    // jOOQ's transaction provider leaves its connection in the configuration's data, which is
    // preferred to the connection provider.
    own.data().values().removeIf(ConnectionProvider.class::isInstance);
    return DSL.using(own);
  }

  /** Ends the handler's use of the transaction; every later call on it fails. */
  @Override
  public void close() {
    turn.lock();
    try {
      closed = true;
    } finally {
      turn.unlock();
    }
  }

  /** Returns the first SQL error that was not rolled back to a savepoint, if there was one. */
  public Optional<SQLException> firstError() {
    return errors.stream().findFirst();
  }

  /** Returns the first attempt to end the transaction, if there was one. */
  public Optional<SQLException> misuse() {
    return misuse;
  }

  /**
   * Returns the refusal of the first statement that may run only in a transaction that the handler
   * shares with no other, if there was one; the database has not seen it.
   */
  public Optional<SQLException> ownTransaction() {
    return ownTransaction;
  }

  /** Runs one JDBC call of the handler, when it is its turn. */
  @Nullable Object run(JdbcCall call) throws SQLException {
    turn.lock();
    try {
      if (closed) {
        throw new SQLException(
            "This transaction is over: its handler has returned. Use the DSLContext only inside"
                + " InboxHandler.handle.");
      }
      return call.run();
    } catch (SQLException e) {
      if (!closed && misuse.filter(refused -> refused == e).isEmpty()) {
        errors.add(e);
      }
      throw e;
    } finally {
      turn.unlock();
    }
  }

  /** Refuses what would end the transaction. */
  SQLException refuse(String what) {
    SQLException refusal =
        new SQLException(
            what
                + " is refused in a handler: it would end or change the transaction that also holds"
                + " the inbox row. Return to commit, throw to roll back, tx.transaction(…) for a"
                + " savepoint. DDL and settings belong outside of handlers.");
    if (misuse.isEmpty()) {
      misuse = Optional.of(refusal);
    }
    return refusal;
  }

  /** Refuses SQL that would end the transaction, or change it for others that share it. */
  void admit(String sql) throws SQLException {
    SqlGate.Verdict verdict = gate.look(sql);
    if (verdict.refused().isPresent()) {
      throw refuse(verdict.refused().get());
    }
    if (shared && verdict.leavesTraces()) {
      SQLException refusal =
          new SQLException(
              "It needs a transaction that no other message shares, in which txbox runs this"
                  + " message next: "
                  + sql);
      if (ownTransaction.isEmpty()) {
        ownTransaction = Optional.of(refusal);
      }
      throw refusal;
    }
  }

  /** Remembers which errors came before a savepoint. */
  void opened(Savepoint savepoint) {
    errorsBefore.put(savepoint, errors.size());
  }

  /** Refuses a savepoint of another handler's: behind it may lie the effects of other messages. */
  void requireOwn(@Nullable Savepoint savepoint) throws SQLException {
    if (!errorsBefore.containsKey(savepoint)) {
      throw refuse("A savepoint that was not set in this call of the handler");
    }
  }

  /** Forgives the errors since a savepoint: the database has undone what failed. */
  void rolledBackTo(Savepoint savepoint) {
    Integer before = errorsBefore.get(savepoint);
    if (before != null && before < errors.size()) {
      errors.subList(before, errors.size()).clear();
    }
  }

  /** A call to the JDBC driver. */
  @FunctionalInterface
  interface JdbcCall {
    @Nullable Object run() throws SQLException;
  }
}
