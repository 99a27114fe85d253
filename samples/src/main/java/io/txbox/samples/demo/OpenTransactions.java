package io.txbox.samples.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What the database says of the transactions of an instance: those that have written something, and
 * are neither committed nor rolled back.
 */
final class OpenTransactions {
  private static final String WRITING =
      " from pg_stat_activity where datname = current_database()"
          + " and xact_start is not null and backend_xid is not null";

  private final DataSource dataSource;

  OpenTransactions(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Returns the name of an instance with such a transaction that waits for a lock. */
  Optional<String> waiting() {
    return ask(
        "select min(application_name)"
            + WRITING
            + " and wait_event_type = 'Lock' and application_name like ?",
        "instance-%");
  }

  /** Returns how many this instance has, also if its process has died. */
  int of(String instance) {
    return Integer.parseInt(
        ask("select count(*)" + WRITING + " and application_name = ?", instance).orElseThrow());
  }

  private Optional<String> ask(String sql, String argument) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, argument);
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return Optional.ofNullable(rows.getString(1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL does not say which transactions are open", e);
    }
  }

  /** Holds the lock of all accounts, so that whoever credits one waits in its transaction. */
  static final class FrozenAccounts implements AutoCloseable {
    private final Connection connection;

    FrozenAccounts(DataSource dataSource) throws SQLException {
      connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("select id from account for update");
      }
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
      connection.close();
    }
  }
}
