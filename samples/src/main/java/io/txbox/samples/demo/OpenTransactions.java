package io.txbox.samples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * What the database says of the transactions of an instance: those that have begun to write, and
 * are neither committed nor rolled back.
 */
final class OpenTransactions {
  private final Database database;
  private final DataSource dataSource;

  OpenTransactions(Database database, DataSource dataSource) {
    this.database = database;
    this.dataSource = dataSource;
  }

  private record Open(String instance, boolean waits) {}

  /** Returns the name of an instance with such a transaction that waits for a lock. */
  Optional<String> waiting() {
    return all().stream()
        .filter(open -> open.waits() && open.instance().startsWith(Instance.PREFIX))
        .map(Open::instance)
        .findFirst();
  }

  /** Returns how many this instance has, also if its process has died. */
  int of(String instance) {
    return (int) all().stream().filter(open -> open.instance().equals(instance)).count();
  }

  private List<Open> all() {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      List<String> look = database.openTransactions();
      for (String before : look.subList(0, look.size() - 1)) {
        statement.execute(before);
      }
      List<Open> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery(look.get(look.size() - 1))) {
        while (rows.next()) {
          found.add(new Open(rows.getString(1), rows.getBoolean(2)));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(
          database.title() + " does not say which transactions are open", e);
    }
  }

  /** Holds the lock of all accounts, so that whoever credits one waits in its transaction. */
  static final class FrozenAccounts implements AutoCloseable {
    private static final int ATTEMPTS = 50;

    private final Connection connection;

    FrozenAccounts(DataSource dataSource) throws SQLException {
      connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      for (int attempt = 1; !lock(attempt == ATTEMPTS); attempt++) {
        connection.rollback();
      }
    }

    /** The instances lock accounts too, many in a transaction: it may be a deadlock. */
    private boolean lock(boolean last) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("select id from account order by id for update");
        return true;
      } catch (SQLException e) {
        if (last || !String.valueOf(e.getSQLState()).startsWith("40")) {
          connection.close();
          throw e;
        }
        return false;
      }
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
      connection.close();
    }
  }
}
