package io.txbox.internal.lane;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on jobs in batches, on a few threads. Batches form from load: a free lane takes what is
 * ready, at once, so that a batch is as large as what arrived while the lanes were busy.
 *
 * <p>Thread-safe.
 *
 * @param <T> what a job is about
 */
public final class Lanes<T> implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Lanes.class);
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  /** A job that could not be done now is tried again after this; its copies wait elsewhere. */
  private static final Duration LATER = Duration.ofMillis(200);

  private final String instance;
  private final LaneSettings settings;
  private final LaneWork<T> work;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ReadyQueue<T> queue = new ReadyQueue<>();
  private final Map<Object, BatchSize> sizes = new HashMap<>();
  private final Outage outage = new Outage();
  private final List<Thread> threads;
  private boolean paused;
  private boolean stopped;
  private volatile boolean closed;

  /**
   * Makes lanes and starts their threads.
   *
   * @param instance the name that the threads and the log begin with
   */
  public Lanes(String instance, LaneSettings settings, LaneWork<T> work) {
    this.instance = instance;
    this.settings = settings;
    this.work = work;
    this.threads =
        IntStream.rangeClosed(1, settings.lanes())
            .mapToObj(i -> new Thread(this::run, instance + "-lane-" + i))
            .toList();
    threads.forEach(Thread::start);
  }

  /** Hands jobs over, in this order. */
  public void submit(Collection<Job<T>> jobs) {
    boolean refused;
    lock.lock();
    try {
      refused = stopped;
      if (!refused) {
        queue.add(jobs);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
    if (refused) {
      jobs.forEach(job -> work.abandon(job.payload()));
    }
  }

  /**
   * Takes nothing more, until {@link #resume()}. What a lane has taken comes to its end.
   *
   * @return whether it was not paused before
   */
  public boolean pause() {
    return setPaused(true);
  }

  /**
   * Goes on after {@link #pause()}.
   *
   * @return whether it was paused
   */
  public boolean resume() {
    return setPaused(false);
  }

  private boolean setPaused(boolean paused) {
    lock.lock();
    try {
      boolean changes = this.paused != paused;
      this.paused = paused;
      changed.signalAll();
      return changes;
    } finally {
      lock.unlock();
    }
  }

  /** Says whether {@link #close()} was called. */
  public boolean isClosed() {
    return closed;
  }

  /** Abandons what waits, and takes nothing more; what a lane has taken goes on. Idempotent. */
  public void stop() {
    List<Job<T>> left;
    lock.lock();
    try {
      stopped = true;
      left = queue.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    left.forEach(job -> work.abandon(job.payload()));
  }

  /** Abandons what waits, interrupts what still runs, and waits for it to end. Idempotent. */
  @Override
  public void close() {
    stop();
    closed = true;
    threads.forEach(Thread::interrupt);
    awaitEnd();
  }

  private void awaitEnd() {
    long deadline = System.nanoTime() + LAST_WAIT.toNanos();
    boolean interrupted = false;
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (thread.isAlive()) {
        log.warn(
            "{} - {} did not end: its handler or the database does not answer to an interrupt",
            instance,
            thread.getName());
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  /** Waits for something to do; returns nothing if the lanes have stopped. */
  private @Nullable Runnable next() {
    lock.lock();
    try {
      while (!stopped) {
        long now = System.nanoTime();
        if (paused) {
          await(OptionalLong.empty(), now);
        } else if (!outage.isOn()) {
          List<Job<T>> batch = queue.take(kind -> sizeOf(kind).room(now), now);
          if (!batch.isEmpty()) {
            sizeOf(batch.get(0).kind()).began(now);
            if (queue.hasMore()) {
              changed.signal(); // For another lane, which does the same.
            }
            return () -> workOn(batch, now);
          }
          await(nextReady(now), now);
        } else if (outage.beginProbe(now)) {
          return this::probe;
        } else {
          await(
              outage.isProbing() ? OptionalLong.empty() : OptionalLong.of(outage.nextProbe()), now);
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns when something may be ready without anybody's doing. */
  private OptionalLong nextReady(long now) {
    if (!queue.hasMore()) {
      return OptionalLong.empty();
    }
    LongStream due = queue.nextDue().stream().map(at -> at - now > 0 ? at : now + LATER.toNanos());
    LongStream hanging =
        sizes.values().stream().flatMapToLong(size -> size.nextHanging(now).stream());
    return LongStream.concat(due, hanging).min();
  }

  @SuppressWarnings("WaitNotInLoop") // next() is the loop.
  private void await(OptionalLong until, long now) {
    try {
      if (until.isPresent()) {
        changed.awaitNanos(until.getAsLong() - now);
      } else {
        changed.await();
      }
    } catch (InterruptedException e) {
      // Only close() interrupts, and that is looked at next.
    }
  }

  private BatchSize sizeOf(Object kind) {
    return sizes.computeIfAbsent(
        kind, any -> new BatchSize(settings.maxBatch(), settings.batchTime()));
  }

  private void probe() {
    boolean possible = work.isPossible();
    Duration age;
    lock.lock();
    try {
      long now = System.nanoTime();
      age = outage.age(now);
      outage.probed(possible, now);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (possible) {
      work.resumed(age);
    }
  }

  private void workOn(List<Job<T>> batch, long began) {
    if (!closed && Thread.interrupted()) {
      log.debug("{} - A handler left its thread interrupted", instance);
    }
    finish(batch, began, work.run(batch.stream().map(Job::payload).toList()));
  }

  private void finish(List<Job<T>> batch, long began, BatchResult<T> result) {
    List<Job<T>> again = new ArrayList<>();
    List<Job<T>> later = new ArrayList<>();
    List<Job<T>> done = new ArrayList<>();
    for (Job<T> job : batch) {
      boolean isAgain = result.again().contains(job.payload());
      (isAgain ? again : result.later().contains(job.payload()) ? later : done).add(job);
    }
    List<Job<T>> left;
    boolean outageBegan;
    lock.lock();
    try {
      long now = System.nanoTime();
      sizeOf(batch.get(0).kind()).ended(began, result);
      outageBegan = outage.learn(result, now);
      queue.done(done);
      queue.putBack(again);
      later.forEach(job -> queue.keep(job, now + LATER.toNanos()));
      left = stopped ? queue.clear() : List.of();
      // This lane looks for more itself. The others must know of an outage, and one of a new wait.
      if (outageBegan) {
        changed.signalAll();
      } else if (!later.isEmpty()) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
    left.forEach(job -> work.abandon(job.payload()));
    if (outageBegan) {
      result.outage().ifPresent(work::paused);
    }
  }
}
