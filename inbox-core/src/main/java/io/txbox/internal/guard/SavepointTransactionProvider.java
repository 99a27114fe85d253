package io.txbox.internal.guard;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jooq.Transaction;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;
import org.jooq.exception.DataAccessException;

/** Makes a savepoint of each transaction that a handler opens inside its own. */
final class SavepointTransactionProvider implements TransactionProvider {
  @Override
  public void begin(TransactionContext context) {
    context.transaction(new Nested(call(context, Connection::setSavepoint)));
  }

  @Override
  public void commit(TransactionContext context) {
    call(
        context,
        connection -> {
          connection.releaseSavepoint(savepoint(context));
          return true;
        });
  }

  @Override
  public void rollback(TransactionContext context) {
    if (context.transaction() == null) {
      return; // The savepoint could not be set: there is nothing to go back to.
    }
    call(
        context,
        connection -> {
          connection.rollback(savepoint(context));
          return true;
        });
  }

  private static Savepoint savepoint(TransactionContext context) {
    return ((Nested) context.transaction()).savepoint;
  }

  private static <T> T call(TransactionContext context, ConnectionCall<T> call) {
    Connection connection = context.configuration().connectionProvider().acquire();
    if (connection == null) {
      throw new DataAccessException("The handler's transaction has no connection");
    }
    try {
      return call.run(connection);
    } catch (SQLException e) {
      throw new DataAccessException("The savepoint of a nested transaction failed", e);
    }
  }

  private record Nested(Savepoint savepoint) implements Transaction {}

  private interface ConnectionCall<T> {
    T run(Connection connection) throws SQLException;
  }
}
