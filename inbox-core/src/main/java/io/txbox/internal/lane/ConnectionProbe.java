package io.txbox.internal.lane;

import io.txbox.SetupException;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether each lane can have a connection of its own, by having that many transactions at
 * once: there is no other way that works with every pool. With fewer, lanes would wait for each
 * other until the pool's time is up, and messages would fail for it; with one that two share, the
 * commit of one would store the claim of the other before its effects.
 */
public final class ConnectionProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final DSLContext dsl;
  private final StoreDialect dialect;
  private final int lanes;
  private final Set<Long> sessions = ConcurrentHashMap.newKeySet();
  private final CountDownLatch missing;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable RuntimeException refusal;
  private volatile boolean shared;

  private ConnectionProbe(DSLContext dsl, StoreDialect dialect, int lanes) {
    this.dsl = dsl;
    this.dialect = dialect;
    this.lanes = lanes;
    this.missing = new CountDownLatch(lanes);
  }

  /**
   * Checks that the pool gives so many connections at once, each with a session of its own. A slow
   * one has its time, and one that gave up is asked again. Connections that it gave have been given
   * back, unless that takes long.
   *
   * @throws SetupException if it gives no further one for 5 s; its cause is what the pool, or the
   *     database, said, if it did; or if two of them are one
   */
  public static void require(DSLContext dsl, StoreDialect dialect, int lanes, String instance) {
    new ConnectionProbe(dsl, dialect, lanes).run(instance);
  }

  private void run(String instance) {
    List<Thread> holders =
        IntStream.rangeClosed(1, lanes)
            .mapToObj(i -> new Thread(this::hold, instance + "-probe-" + i))
            .toList();
    holders.forEach(holder -> holder.setDaemon(true));
    holders.forEach(Thread::start);
    try {
      long given = awaitAll();
      if (shared) {
        throw new SetupException(
            "dsl has one connection for several lanes: its DataSource gave the same one again while"
                + " it was in use, so that one lane would commit what another has begun. Make dsl on"
                + " a pool, by DSL.using(dataSource, SQLDialect."
                + dsl.dialect()
                + ")");
      }
      if (given < lanes) {
        holders.forEach(Thread::interrupt); // Pools give up waiting when they are interrupted.
        throw new SetupException(
            "lanes is "
                + lanes
                + ", but the pool gave only "
                + given
                + " connections at once, and no further one for "
                + PATIENCE.toSeconds()
                + " s. Each lane needs one: raise the pool's maximum (and leave some for others),"
                + " or lower lanes.",
            refusal);
      }
    } catch (InterruptedException e) {
      holders.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw new SetupException("Interrupted while the connection pool was checked", e);
    } finally {
      done.countDown();
    }
    awaitEnd(holders);
  }

  private static void awaitEnd(List<Thread> holders) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      for (Thread holder : holders) {
        holder.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SetupException("Interrupted while the connection pool was checked", e);
    }
  }

  /** Waits for as long as further connections come, and returns how many came. */
  private long awaitAll() throws InterruptedException {
    long given = 0;
    while (!missing.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      long before = given;
      given = lanes - missing.getCount();
      if (given == before) {
        return given;
      }
    }
    return lanes;
  }

  private void hold() {
    try {
      while (!holdsOne()) {
        if (done.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      // The probe is over.
    }
  }

  /** Takes a connection and keeps it until the probe is over; returns whether it got one. */
  private boolean holdsOne() {
    AtomicBoolean given = new AtomicBoolean();
    try {
      // In a transaction, and with a statement in it: else a pooler or a proxy has none for it yet.
      dsl.transaction(
          tx -> {
            long session = tx.dsl().connectionResult(dialect::session);
            if (!sessions.add(session)) {
              shared = true;
            }
            given.set(true);
            missing.countDown();
            done.await();
          });
    } catch (RuntimeException e) {
      if (!given.get()) {
        refusal = e;
      }
    }
    return given.get();
  }
}
