package io.txbox.benchmarks;

import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Has a janitor purge, from when it is told to until it is told to stop. */
final class Purger implements AutoCloseable {
  static final Retention RETENTION = Retention.ofDays(7).byWallClock();

  /** So that it stops soon. */
  private static final Duration PASS = Duration.ofSeconds(1);

  private final EventTime time;
  private final Janitor janitor;
  private @Nullable Work work;

  Purger(DSLContext dsl, StoreDialect dialect, String group, EventTime time) {
    this.time = time;
    janitor =
        Janitor.builder(dsl, dialect)
            .group(group, RETENTION)
            .clock(time::instant)
            .nanoTime(time::nanos)
            .passTime(PASS)
            .build();
  }

  /**
   * What was purged at a stretch.
   *
   * @param ranOut whether no more rows might go, at the end
   */
  record Purged(long rows, Duration elapsed, boolean ranOut) {
    static final Purged NOTHING = new Purged(0, Duration.ZERO, false);

    double perSecond() {
      return elapsed.isZero() ? 0 : rows * 1e9 / elapsed.toNanos();
    }
  }

  private record Work(AtomicBoolean stop, CompletableFuture<Purged> end) {}

  /** Does one pass. */
  boolean pass() {
    return janitor.pass();
  }

  /**
   * Begins to purge, on a thread of its own.
   *
   * @param speed how fast event time goes by
   */
  synchronized void start(double speed) {
    time.run(speed);
    AtomicBoolean stop = new AtomicBoolean();
    work =
        new Work(
            stop,
            CompletableFuture.supplyAsync(
                () -> purge(stop), command -> new Thread(command, "purger").start()));
  }

  /** Purges until all is gone that may go. */
  Purged purgeAll() {
    return purge(new AtomicBoolean());
  }

  private Purged purge(AtomicBoolean stop) {
    long begun = System.nanoTime();
    long before = janitor.health().rowsPurged();
    boolean more = true;
    while (more && !stop.get()) {
      more = janitor.pass();
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
    return new Purged(janitor.health().rowsPurged() - before, elapsed, !more);
  }

  /** Stops, and returns what was purged; nothing if it was not started. */
  synchronized Purged stop() {
    Work ended = work;
    work = null;
    if (ended == null) {
      return Purged.NOTHING;
    }
    ended.stop().set(true);
    Purged purged = ended.end().join();
    time.hold();
    return purged;
  }

  @Override
  public void close() {
    stop();
    janitor.close();
  }
}
