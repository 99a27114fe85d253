package io.txbox.internal.lane;

import io.txbox.SetupException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.DSLContext;

/**
 * Finds out whether each lane can have a connection, by taking that many at once from the pool:
 * there is no other way that works with every pool. With fewer, lanes would wait for each other
 * until the pool's time is up, and messages would fail for it.
 */
public final class ConnectionProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private ConnectionProbe() {}

  /**
   * Checks that the pool gives so many connections at once. A slow one has its time.
   *
   * @throws SetupException if it gives no further one for 5 s
   */
  public static void require(DSLContext dsl, int lanes, String instance) {
    CountDownLatch missing = new CountDownLatch(lanes);
    CountDownLatch done = new CountDownLatch(1);
    List<Thread> holders =
        IntStream.rangeClosed(1, lanes)
            .mapToObj(i -> new Thread(() -> hold(dsl, missing, done), instance + "-probe-" + i))
            .toList();
    holders.forEach(holder -> holder.setDaemon(true));
    holders.forEach(Thread::start);
    try {
      long given = awaitAll(missing, lanes);
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
                + " or lower lanes.");
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
  private static long awaitAll(CountDownLatch missing, int all) throws InterruptedException {
    long given = 0;
    while (!missing.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      long before = given;
      given = all - missing.getCount();
      if (given == before) {
        return given;
      }
    }
    return all;
  }

  private static void hold(DSLContext dsl, CountDownLatch missing, CountDownLatch done) {
    try {
      dsl.connection(
          connection -> {
            missing.countDown();
            done.await();
          });
    } catch (RuntimeException e) {
      // It is counted as missing, which says all that is to be said.
    }
  }
}
