package io.txbox.testkit.contract;

import io.txbox.testkit.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.impl.DSL;

/**
 * Holds the lock of an effect's row, so that a handler which touches it waits in its transaction.
 */
final class RowLock implements AutoCloseable {
  private final Connection connection;

  private RowLock(Connection connection) {
    this.connection = connection;
  }

  static RowLock hold(TestDatabase database, String effect) throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    Effects.touch(DSL.using(connection, database.dialect()), effect);
    return new RowLock(connection);
  }

  /** Lets the row go. Idempotent. */
  void release() throws SQLException {
    if (!connection.isClosed()) {
      connection.rollback();
      connection.close();
    }
  }

  @Override
  public void close() throws SQLException {
    release();
  }
}
