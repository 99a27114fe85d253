package io.txbox.internal.database;

import io.txbox.SetupException;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what connections there are, by having so many transactions at once: there is no other
 * way that works with every pool. With fewer than lanes, lanes would wait for each other until the
 * pool's time is up, and messages would fail for it; with one that two transactions share, the
 * commit of one would store the claim of the other before its effects.
 */
public final class ConnectionProbe {
  private static final Logger log = LoggerFactory.getLogger(ConnectionProbe.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration PATIENCE_FOR_A_SPARE = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final DSLContext dsl;
  private final StoreDialect dialect;
  private final int needed;
  private final Set<String> sessions = ConcurrentHashMap.newKeySet();
  private final CountDownLatch missing;
  private final CountDownLatch missingWithSpare;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable RuntimeException refusal;
  private volatile boolean shared;

  private ConnectionProbe(DSLContext dsl, StoreDialect dialect, int needed) {
    this.dsl = dsl;
    this.dialect = dialect;
    this.needed = needed;
    this.missing = new CountDownLatch(needed);
    this.missingWithSpare = new CountDownLatch(needed + 1);
  }

  /**
   * Checks that two transactions that are there at once have two sessions. A pool of one, which
   * lets the second wait, is no fault; it costs a second.
   *
   * @param name begins the names of the threads that look
   * @throws SetupException if they share one
   */
  public static void requireOwnSessions(DSLContext dsl, StoreDialect dialect, String name) {
    new ConnectionProbe(dsl, dialect, 1).run(name);
  }

  /**
   * Checks that the pool gives so many connections at once, each with a session of its own, and
   * warns if that are all that it gives. A slow one has its time, and one that gave up is asked
   * again. Connections that it gave have been given back, unless that takes long.
   *
   * @param name begins the names of the threads that look
   * @throws SetupException if it gives no further one for 5 s; its cause is what the pool, or the
   *     database, said, if it did; or if two of them are one
   */
  public static void requireLanes(DSLContext dsl, StoreDialect dialect, int lanes, String name) {
    ConnectionProbe probe = new ConnectionProbe(dsl, dialect, lanes);
    long given = probe.run(name);
    if (given < lanes) {
      throw new SetupException(
          "lanes is "
              + lanes
              + ", but the pool gave only "
              + given
              + " connections at once, and no further one for "
              + PATIENCE.toSeconds()
              + " s. Each lane needs one: raise the pool's maximum (and leave some for others),"
              + " or lower lanes.",
          probe.refusal);
    }
    if (given == lanes) {
      log.warn(
          "{} - The pool gives {} connections, and lanes may take all of them: the janitor inside,"
              + " and whoever else takes connections from it, has to wait for a lane. Raise the"
              + " pool's maximum, or lower lanes",
          name,
          given);
    }
  }

  /** Returns how many were given at once: those that are needed, and one to spare, at most. */
  private long run(String name) {
    List<Holder> holders =
        IntStream.rangeClosed(1, needed + 1)
            .mapToObj(i -> new Holder(name + "-probe-" + i))
            .toList();
    try {
      long given = awaitAll(holders.subList(0, needed), holders.get(needed));
      if (shared) {
        throw new SetupException(
            "dsl has one connection for all transactions: its DataSource gave the same one again"
                + " while it was in use, so that one would commit what another has begun. Make dsl"
                + " on a pool, by DSL.using(dataSource, SQLDialect."
                + dsl.dialect()
                + ")");
      }
      return given;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SetupException("Interrupted while the connection pool was checked", e);
    } finally {
      end(holders);
    }
  }

  /** Waits for as long as further connections come, and returns how many came. */
  private long awaitAll(List<Holder> holders, Holder spare) throws InterruptedException {
    holders.forEach(Thread::start);
    long given = 0;
    while (!missing.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      long before = given;
      given = needed - missing.getCount();
      if (given == before) {
        return given;
      }
    }
    // Only now: on a connection that is shared, the one must not be disturbed while it begins.
    spare.start();
    missingWithSpare.await(PATIENCE_FOR_A_SPARE.toMillis(), TimeUnit.MILLISECONDS);
    return needed + 1 - missingWithSpare.getCount();
  }

  /** Lets those that have a connection give it back, and those that wait for one give up. */
  private void end(List<Holder> holders) {
    done.countDown();
    holders.stream().filter(holder -> !holder.given).forEach(Thread::interrupt); // Pools heed that.
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      for (Holder holder : holders) {
        holder.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a connection and keeps it until the probe is over. */
  private final class Holder extends Thread {
    private volatile boolean given;

    Holder(String name) {
      super(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        do {
          take();
        } while (!given && !done.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        // The probe is over.
      }
    }

    private void take() {
      try {
        // In a transaction, and with a statement in it: else a pooler or a proxy has none for it.
        dsl.transaction(
            tx -> {
              String session = tx.dsl().connectionResult(dialect::session);
              if (!sessions.add(session)) {
                shared = true;
              }
              given = true;
              missing.countDown();
              missingWithSpare.countDown();
              done.await();
            });
      } catch (RuntimeException e) {
        if (!given) {
          refusal = e;
        }
      }
    }
  }
}
