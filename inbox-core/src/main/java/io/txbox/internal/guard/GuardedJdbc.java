package io.txbox.internal.guard;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a connection, and all that comes out of it, such that every call goes through the guard.
 *
 * <p>These are dynamic proxies: the JDBC interfaces have some 500 methods, of which all but a dozen
 * are only passed on.
 */
final class GuardedJdbc {
  private static final ClassLoader LOADER = GuardedJdbc.class.getClassLoader();

  /** What comes out of a connection and leads back to it, the most special first. */
  private static final List<Class<?>> GUARDED =
      List.of(
          CallableStatement.class,
          PreparedStatement.class,
          Statement.class,
          ResultSet.class,
          DatabaseMetaData.class,
          Array.class,
          Blob.class,
          NClob.class,
          Clob.class,
          SQLXML.class);

  /** Calls that would end the transaction, change what it is, or stay with the connection. */
  private static final Set<String> REFUSED =
      Set.of(
          "commit",
          "setAutoCommit",
          "setTransactionIsolation",
          "setReadOnly",
          "setSchema",
          "setCatalog",
          "abort");

  /** Calls that must get through while another thread's statement runs. */
  private static final Set<String> OUT_OF_TURN = Set.of("cancel", "isClosed");

  private final Guard guard;
  private @Nullable Connection proxy;

  GuardedJdbc(Guard guard) {
    this.guard = guard;
  }

  Connection connection(Connection connection) {
    proxy =
        proxy(
            Connection.class, (self, method, args) -> onConnection(self, connection, method, args));
    return proxy;
  }

  private @Nullable Object onConnection(
      Object self, Connection connection, Method method, @Nullable Object @Nullable [] args)
      throws SQLException {
    String name = method.getName();
    if (REFUSED.contains(name) || (name.equals("rollback") && args == null)) {
      return guard.run(
          () -> {
            throw guard.refuse("Connection." + name + "()");
          });
    }
    return switch (name) {
      case "close" -> null; // Out of habit, from try-with-resources: harmless, it is not closed.
      case "setSavepoint" -> setSavepoint(connection, method, args);
      case "rollback" -> rollbackTo((Savepoint) requireNonNull(args)[0], connection);
      case "releaseSavepoint" -> release((Savepoint) requireNonNull(args)[0], connection);
      default -> onAny(self, connection, method, args);
    };
  }

  private @Nullable Object setSavepoint(
      Connection connection, Method method, @Nullable Object @Nullable [] args)
      throws SQLException {
    return guard.run(
        () -> {
          Savepoint savepoint = (Savepoint) requireNonNull(passOn(connection, method, args));
          guard.opened(savepoint);
          return savepoint;
        });
  }

  private @Nullable Object rollbackTo(@Nullable Savepoint savepoint, Connection connection)
      throws SQLException {
    return guard.run(
        () -> {
          guard.requireOwn(savepoint);
          connection.rollback(savepoint);
          guard.rolledBackTo(requireNonNull(savepoint));
          return null;
        });
  }

  private @Nullable Object release(@Nullable Savepoint savepoint, Connection connection)
      throws SQLException {
    return guard.run(
        () -> {
          guard.requireOwn(savepoint);
          connection.releaseSavepoint(savepoint);
          return null;
        });
  }

  /** Handles a call on any of the objects: checks its SQL, takes its turn, wraps its result. */
  private @Nullable Object onAny(
      Object self, Object target, Method method, @Nullable Object @Nullable [] args)
      throws SQLException {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return onObject(self, target, method, args);
    }
    if (name.equals("isWrapperFor")) {
      return false;
    }
    if (name.equals("unwrap")) {
      return guard.run(
          () -> {
            throw guard.refuse(method.getDeclaringClass().getSimpleName() + ".unwrap()");
          });
    }
    if (OUT_OF_TURN.contains(name)) {
      return passOn(target, method, args);
    }
    return guard.run(
        () -> {
          if (args != null && args.length > 0 && args[0] instanceof String sql && takesSql(name)) {
            guard.admit(sql);
          }
          return wrap(passOn(target, method, args));
        });
  }

  private static boolean takesSql(String name) {
    return name.startsWith("prepare") || name.startsWith("execute") || name.equals("addBatch");
  }

  private static Object onObject(
      Object self, Object target, Method method, @Nullable Object @Nullable [] args) {
    return switch (method.getName()) {
      case "equals" -> args != null && self == args[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> "guarded " + target;
    };
  }

  private @Nullable Object wrap(@Nullable Object result) {
    if (result instanceof Connection) {
      return proxy;
    }
    for (Class<?> type : GUARDED) {
      if (type.isInstance(result)) {
        return proxy(type, new Passing(requireNonNull(result)));
      }
    }
    return result;
  }

  /** What the driver gets of ours, it gets without the wrapping: it looks at the classes. */
  private static @Nullable Object @Nullable [] unwrapped(@Nullable Object @Nullable [] args) {
    if (args == null) {
      return null;
    }
    @Nullable Object[] plain = args.clone();
    for (int i = 0; i < plain.length; i++) {
      plain[i] = unwrapped(plain[i]);
    }
    return plain;
  }

  private static @Nullable Object unwrapped(@Nullable Object arg) {
    return arg != null
            && Proxy.isProxyClass(arg.getClass())
            && Proxy.getInvocationHandler(arg) instanceof Passing passing
        ? passing.target
        : arg;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(LOADER, new Class<?>[] {type}, handler));
  }

  private static @Nullable Object passOn(
      Object target, Method method, @Nullable Object @Nullable [] args) throws SQLException {
    try {
      return method.invoke(target, unwrapped(args));
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      if (cause instanceof SQLException sql) {
        throw sql;
      }
      if (cause instanceof RuntimeException runtime) {
        throw runtime;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new SQLException(cause);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("JDBC's interfaces are public", e);
    }
  }

  private final class Passing implements InvocationHandler {
    private final Object target;

    Passing(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] args)
        throws SQLException {
      return onAny(self, target, method, args);
    }
  }
}
