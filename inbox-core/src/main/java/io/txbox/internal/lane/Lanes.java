package io.txbox.internal.lane;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
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
  private final Function<List<T>, BatchResult<T>> work;
  private final Consumer<T> abandon;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ReadyQueue<T> queue = new ReadyQueue<>();
  private final Map<Object, BatchSize> sizes = new HashMap<>();
  private final Map<Object, Integer> lanesOf = new HashMap<>();
  private final List<Thread> threads;
  private final Outage outage;
  private boolean paused;
  private boolean stopped;
  private volatile boolean closed;

  /**
   * Makes lanes and starts their threads.
   *
   * @param instance the name that the threads and the log begin with
   * @param work works on a batch, all of one kind, and throws nothing
   * @param abandon is told of a job that no lane will take any more
   */
  public Lanes(
      String instance,
      LaneSettings settings,
      Function<List<T>, BatchResult<T>> work,
      Consumer<T> abandon) {
    this.instance = instance;
    this.settings = settings;
    this.work = work;
    this.outage = new Outage(instance);
    this.abandon = abandon;
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
      jobs.forEach(job -> abandon.accept(job.payload()));
    }
  }

  /** Takes nothing more, until {@link #resume()}. What a lane has taken comes to its end. */
  public void pause() {
    setPaused(true);
  }

  /** Goes on after {@link #pause()}. */
  public void resume() {
    setPaused(false);
  }

  private void setPaused(boolean paused) {
    lock.lock();
    try {
      this.paused = paused;
      changed.signalAll();
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
    left.forEach(job -> abandon.accept(job.payload()));
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
    while (true) {
      List<Job<T>> batch = take();
      if (batch.isEmpty()) {
        return;
      }
      if (!closed && Thread.interrupted()) {
        log.debug("{} - A handler left its thread interrupted", instance);
      }
      finish(batch, work.apply(batch.stream().map(Job::payload).toList()));
    }
  }

  /** Waits for jobs; returns none if the lanes have stopped. */
  private List<Job<T>> take() {
    lock.lock();
    try {
      while (!stopped) {
        List<Job<T>> batch = paused ? List.of() : ready(System.nanoTime());
        if (!batch.isEmpty()) {
          lanesOf.merge(batch.get(0).kind(), 1, Integer::sum);
          if (queue.hasMore()) {
            changed.signal(); // For another lane, which does the same.
          }
          return batch;
        }
        await();
      }
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private List<Job<T>> ready(long now) {
    if (!outage.isOn()) {
      return queue.take(this::room, now);
    }
    List<Job<T>> one = outage.mayProbe(now) ? queue.take(kind -> 1, now) : List.of();
    if (!one.isEmpty()) {
      outage.probing();
    }
    return one;
  }

  @SuppressWarnings("WaitNotInLoop") // take() is the loop.
  private void await() {
    long now = System.nanoTime();
    OptionalLong due = queue.nextDue();
    if (outage.isOn()) {
      due = OptionalLong.of(outage.nextProbe());
    }
    try {
      if (due.isPresent()) {
        // What is due and has no room waits for a lane to be free, which is signalled.
        long left = due.getAsLong() - now;
        changed.awaitNanos(left > 0 ? left : LATER.toNanos());
      } else {
        changed.await();
      }
    } catch (InterruptedException e) {
      // Only close() interrupts, and that is looked at next.
    }
  }

  private int room(Object kind) {
    BatchSize size = sizeOf(kind);
    return lanesOf.getOrDefault(kind, 0) < size.lanes() ? size.next() : 0;
  }

  private BatchSize sizeOf(Object kind) {
    return sizes.computeIfAbsent(
        kind, any -> new BatchSize(settings.maxBatch(), settings.batchTime()));
  }

  private void finish(List<Job<T>> batch, BatchResult<T> result) {
    Object kind = batch.get(0).kind();
    List<Job<T>> again =
        batch.stream().filter(job -> result.again().contains(job.payload())).toList();
    List<Job<T>> later =
        batch.stream().filter(job -> result.later().contains(job.payload())).toList();
    List<Job<T>> left;
    lock.lock();
    try {
      sizeOf(kind).learn(result);
      boolean wasOut = outage.isOn();
      outage.learn(result, System.nanoTime());
      lanesOf.merge(kind, -1, Integer::sum);
      queue.done(
          batch.stream()
              .filter(job -> !result.again().contains(job.payload()))
              .filter(job -> !result.later().contains(job.payload()))
              .toList());
      queue.putBack(again);
      later.forEach(job -> queue.keep(job, System.nanoTime() + LATER.toNanos()));
      left = stopped ? queue.clear() : List.of();
      // This lane looks for more itself. The others must know of an outage, and one of a new wait.
      if (wasOut != outage.isOn()) {
        changed.signalAll();
      } else if (!later.isEmpty()) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
    left.forEach(job -> abandon.accept(job.payload()));
  }
}
