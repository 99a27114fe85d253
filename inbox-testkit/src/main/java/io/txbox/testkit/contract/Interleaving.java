package io.txbox.testkit.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/**
 * Runs actors statement by statement, in an order that a test chooses: each stops before every
 * statement, commit and rollback until it is told to go on. One that waits for a lock of another is
 * left waiting, and the others go on.
 */
final class Interleaving {
  private static final Set<String> STEPS =
      Set.of("execute", "executeQuery", "executeUpdate", "executeBatch", "commit", "rollback");

  /** What takes longer than this waits for a lock; if it does not, it merely runs beside others. */
  private static final long STEP_MILLIS = 20;

  private final ExecutorService threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Actor> actors = new ArrayList<>();
  private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();
  private boolean free;

  Interleaving(ExecutorService threads) {
    this.threads = threads;
  }

  /** One who acts. */
  final class Actor {
    private boolean mayGo;
    private boolean waits;
    private boolean done;

    private void await() {
      lock.lock();
      try {
        waits = true;
        changed.signalAll();
        while (!mayGo && !free) {
          changed.awaitUninterruptibly();
        }
        waits = false;
        mayGo = false;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Begins with something, which stops before its first statement. */
  Actor begin(Runnable work) {
    Actor actor = new Actor();
    lock.lock();
    try {
      actors.add(actor);
    } finally {
      lock.unlock();
    }
    threads.execute(
        () -> {
          CURRENT.set(actor);
          try {
            work.run();
          } finally {
            CURRENT.remove();
            end(actor);
          }
        });
    settle(actor);
    return actor;
  }

  private void end(Actor actor) {
    lock.lock();
    try {
      actor.done = true;
      actors.remove(actor);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns those who wait to be told to go on. */
  List<Actor> ready() {
    lock.lock();
    try {
      return actors.stream().filter(actor -> actor.waits && !actor.mayGo).toList();
    } finally {
      lock.unlock();
    }
  }

  int running() {
    lock.lock();
    try {
      return actors.size();
    } finally {
      lock.unlock();
    }
  }

  /** Lets one run a statement, and waits until it is before its next one. */
  void step(Actor actor) {
    lock.lock();
    try {
      actor.mayGo = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    settle(actor);
  }

  private void settle(Actor actor) {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS);
      while (!actor.done && !(actor.waits && !actor.mayGo) && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      lock.unlock();
    }
  }

  /** Lets all run to their ends. */
  void finish() {
    lock.lock();
    try {
      free = true;
      changed.signalAll();
      while (!actors.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      free = false;
    } finally {
      lock.unlock();
    }
  }

  private void beforeStatement() {
    Actor actor = CURRENT.get();
    if (actor != null) {
      actor.await();
    }
  }

  /** Returns a pool whose statements stop those who run them. */
  DataSource over(DataSource pool) {
    return proxy(DataSource.class, pool);
  }

  private <T> T proxy(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> call(target, method, arguments)));
  }

  @SuppressWarnings("JdkObsolete")
  private Object call(Object target, Method method, Object[] arguments) throws Throwable {
    if (STEPS.contains(method.getName())) {
      beforeStatement();
    }
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof Connection && method.getName().equals("getConnection")) {
      return proxy(Connection.class, result);
    }
    return result instanceof Statement ? proxy(interfaceOf(result), result) : result;
  }

  private static Class<?> interfaceOf(Object statement) {
    return statement instanceof java.sql.CallableStatement
        ? java.sql.CallableStatement.class
        : statement instanceof java.sql.PreparedStatement
            ? java.sql.PreparedStatement.class
            : Statement.class;
  }
}
