package io.txbox.internal.lane;

import io.txbox.SetupException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether each lane can have a connection, by taking that many at once from the pool:
 * there is no other way that works with every pool. With fewer, lanes would wait for each other
 * until the pool's time is up, and messages would fail for it.
 */
public final class ConnectionProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final DSLContext dsl;
  private final int lanes;
  private final CountDownLatch missing;
  private final CountDownLatch done = new CountDownLatch(1);
  private volatile @Nullable RuntimeException refusal;

  private ConnectionProbe(DSLContext dsl, int lanes) {
    this.dsl = dsl;
    this.lanes = lanes;
    this.missing = new CountDownLatch(lanes);
  }

  /**
   * Checks that the pool gives so many connections at once. A slow one has its time, and one that
   * gave up is asked again.
   *
   * @throws SetupException if it gives no further one for 5 s; its cause is what the pool said, if
   *     it did
   */
  public static void require(DSLContext dsl, int lanes, String instance) {
    new ConnectionProbe(dsl, lanes).run(instance);
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
      dsl.connection(
          connection -> {
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
