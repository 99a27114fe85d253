package io.txbox.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs a bounded piece of work again and again on a thread of its own: soon if more waits, else
 * after an interval, and ever later while it fails. Thread-safe.
 */
public final class PollingLoop implements AutoCloseable {
  private static final double JITTER = 0.2;
  private static final int MAX_DOUBLINGS = 5;
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
  private static final Duration FINISH = Duration.ofSeconds(5);

  private final Logger log;
  private final String name;
  private final Duration interval;
  private final Duration soon;
  private final BooleanSupplier work;
  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
  private final Thread thread;

  private enum State {
    NEW,
    RUNNING,
    STOPPED
  }

  /**
   * Makes a loop that does not run yet.
   *
   * @param log where to say that the work has failed
   * @param name the name of the thread
   * @param interval the time between two pieces of work, give or take a fifth
   * @param soon the same if more waits; zero for at once
   * @param work does one piece and says whether more waits
   */
  public PollingLoop(
      Logger log, String name, Duration interval, Duration soon, BooleanSupplier work) {
    this.log = log;
    this.name = name;
    this.interval = interval;
    this.soon = soon;
    this.work = work;
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
  }

  /**
   * Checks that it can be started.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  public void requireNew() {
    requireNew(state.get());
  }

  private void requireNew(@Nullable State state) {
    if (state != State.NEW) {
      throw new IllegalStateException(name + " can be started once, but is " + state);
    }
  }

  /**
   * Starts the thread.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  public void start() {
    requireNew(state.compareAndExchange(State.NEW, State.RUNNING));
    thread.start();
  }

  /** Says whether it has been told to stop. */
  public boolean isStopped() {
    return state.get() == State.STOPPED;
  }

  private void run() {
    int failures = 0;
    while (!isStopped()) {
      boolean moreWaits = false;
      try {
        moreWaits = work.getAsBoolean();
        failures = 0;
      } catch (Throwable e) { // The edge: whatever it was, the next time it may go well.
        failures++;
        if (!isStopped()) {
          log.warn("{} - Failed, and is tried again", name, e);
        }
      }
      await(moreWaits ? soon : afterFailures(failures));
    }
  }

  /** Returns a longer interval after failures, but no longer than ten minutes for that. */
  private Duration afterFailures(int failures) {
    Duration longer = interval.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
    Duration longest = interval.compareTo(LONGEST_PAUSE) > 0 ? interval : LONGEST_PAUSE;
    return longer.compareTo(longest) < 0 ? longer : longest;
  }

  private void await(Duration time) {
    double factor = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    long end = System.nanoTime() + (long) (time.toNanos() * factor);
    synchronized (state) {
      for (long left = end - System.nanoTime();
          left > 0 && !isStopped();
          left = end - System.nanoTime()) {
        try {
          state.wait(left / 1_000_000 + 1);
        } catch (InterruptedException e) {
          return; // By close(); or by the work, whose business it is not.
        }
      }
    }
  }

  /** Stops: lets a piece of work end, and interrupts it if that takes long. Idempotent. */
  @Override
  public void close() {
    State before = state.getAndSet(State.STOPPED);
    synchronized (state) {
      state.notifyAll();
    }
    if (before != State.RUNNING || Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join(FINISH.toMillis());
      if (thread.isAlive()) {
        thread.interrupt();
        thread.join(FINISH.toMillis());
      }
      if (thread.isAlive()) {
        log.warn("The thread {} does not end; it is left behind", name);
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
