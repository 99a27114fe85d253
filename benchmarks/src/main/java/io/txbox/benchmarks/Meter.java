package io.txbox.benchmarks;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Takes the time from when the first message comes until each has ended once. Thread-safe. */
final class Meter {
  private final int messages;
  private final Duration patience;
  private final Runnable atFirst;
  private final AtomicIntegerArray ends;
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger endedAgain = new AtomicInteger();
  private final CountDownLatch all = new CountDownLatch(1);
  private final AtomicLong firstAt = new AtomicLong();
  private volatile long lastAt;

  /**
   * Makes a meter for one run.
   *
   * @param patience how long to wait for the next message
   * @param atFirst runs when the first message comes
   */
  Meter(int messages, Duration patience, Runnable atFirst) {
    this.messages = messages;
    this.patience = patience;
    this.atFirst = atFirst;
    this.ends = new AtomicIntegerArray(messages);
  }

  /** Is told that a message has come, before anything is done about it. */
  void came() {
    if (firstAt.get() == 0 && firstAt.compareAndSet(0, System.nanoTime())) {
      atFirst.run();
    }
  }

  /** Is told that all about a message is committed. */
  void ended(Payment payment) {
    if (ends.incrementAndGet(payment.number()) > 1) {
      endedAgain.incrementAndGet();
    } else if (ended.incrementAndGet() == messages) {
      lastAt = System.nanoTime();
      all.countDown();
    }
  }

  /** Returns how many messages ended once more than they should. */
  int endedAgain() {
    return endedAgain.get();
  }

  /**
   * Waits for the last message.
   *
   * @return the time from the first to it
   * @throws IllegalStateException if no further one comes
   */
  Duration await() throws InterruptedException {
    int before = -1;
    while (!all.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      int now = ended.get();
      if (now == before) {
        throw new IllegalStateException(
            "%,d of %,d messages have ended, and no more in the last %d s"
                .formatted(now, messages, patience.toSeconds()));
      }
      before = now;
    }
    return Duration.ofNanos(lastAt - firstAt.get());
  }
}
