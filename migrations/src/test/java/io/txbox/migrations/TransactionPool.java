package io.txbox.migrations;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  private @Nullable Object onConnection(Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "getAutoCommit" -> {
        return autoCommit;
      }
      case "setAutoCommit" -> setAutoCommit((Boolean) arguments[0]);
      case "commit" -> end(Connection::commit);
      case "rollback" -> end(Connection::rollback);
      default -> {
        moveOn(method);
        return invoke(sessions.get(current), method, arguments);
      }
    }
    return null;
  }

  private void setAutoCommit(boolean wanted) throws SQLException {
    if (wanted && !autoCommit) {
      end(Connection::commit);
    }
    autoCommit = wanted;
  }

  private void moveOn(Method method) throws SQLException {
    if (open) {
      return;
    }
    current = (current + 1) % sessions.size();
    if (!autoCommit && !method.getName().equals("getMetaData")) {
      open = true;
      sessions.get(current).setAutoCommit(false);
    }
  }

  private void end(Ending ending) throws SQLException {
    if (open) {
      ending.end(sessions.get(current));
      sessions.get(current).setAutoCommit(true);
      open = false;
    }
  }

  private static @Nullable Object invoke(Object target, Method method, Object[] arguments)
      throws Throwable {
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
    @Nullable Object handle(Method method, Object[] arguments) throws Throwable;
  }
}
