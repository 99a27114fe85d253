package io.txbox.migrations;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections as a pooler in transaction mode gives them (PgBouncer): each transaction, and without
 * one each statement, runs in the next of several sessions, whatever was set in the one before.
 */
final class TransactionPool implements AutoCloseable {

  private final List<Connection> sessions = new ArrayList<>();
  private boolean autoCommit = true;
  private boolean open;
  private int current;

  TransactionPool(TestDatabase database, int size) throws SQLException {
    for (int i = 0; i < size; i++) {
      sessions.add(database.owner().getConnection());
    }
  }

  List<Connection> sessions() {
    return sessions;
  }

  /** A connection that a test may close and take again. */
  OneConnection dataSource() {
    return new OneConnection(proxy(Connection.class, this::onConnection));
  }

  private Object onConnection(Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "getAutoCommit":
        return autoCommit;
      case "setAutoCommit":
        boolean wanted = (Boolean) arguments[0];
        if (wanted && !autoCommit) {
          end(Connection::commit);
        }
        autoCommit = wanted;
        return null;
      case "commit":
        end(Connection::commit);
        return null;
      case "rollback":
        end(Connection::rollback);
        return null;
      default:
        break;
    }
    if (!open) {
      current = (current + 1) % sessions.size();
      if (!autoCommit && !method.getName().equals("getMetaData")) {
        open = true;
        sessions.get(current).setAutoCommit(false);
      }
    }
    return invoke(sessions.get(current), method, arguments);
  }

  private void end(Ending ending) throws SQLException {
    if (open) {
      ending.end(sessions.get(current));
      sessions.get(current).setAutoCommit(true);
      open = false;
    }
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> handler.handle(method, arguments)));
  }

  @Override
  public void close() throws SQLException {
    for (Connection session : sessions) {
      session.close();
    }
  }

  /** Sets something in every session. */
  void set(String sql) throws SQLException {
    for (Connection session : sessions) {
      try (Statement statement = session.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  private interface Ending {
    void end(Connection connection) throws SQLException;
  }

  private interface Handler {
    Object handle(Method method, Object[] arguments) throws Throwable;
  }
}
