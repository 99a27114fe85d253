package io.txbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class PollingLoopTest {
  private static final Duration LONG = Duration.ofHours(1);

  private PollingLoop loop = loop(LONG, () -> false);

  @AfterEach
  void close() {
    loop.close();
  }

  private static PollingLoop loop(Duration interval, BooleanSupplier work) {
    return loop(interval, Duration.ZERO, work);
  }

  private static PollingLoop loop(Duration interval, Duration soon, BooleanSupplier work) {
    return new PollingLoop(
        LoggerFactory.getLogger(PollingLoop.class), "polls", interval, soon, work);
  }

  @Test
  void goesOnAtOnceWhileMoreWaits() {
    AtomicInteger left = new AtomicInteger(100);
    loop = loop(LONG, () -> left.decrementAndGet() > 0);
    loop.start();

    await().until(() -> left.get() == 0);
  }

  @Test
  void leavesATimeBetweenTwoPiecesOfWorkForOthers() {
    Duration soon = Duration.ofMillis(100);
    Queue<Long> begun = new ConcurrentLinkedQueue<>();
    loop = loop(LONG, soon, () -> begun.add(System.nanoTime()));
    loop.start();

    await().until(() -> begun.size() > 1);
    assertThat(Duration.ofNanos(-begun.remove() + begun.remove()))
        .isGreaterThan(soon.dividedBy(2)); // Give or take a fifth.
  }

  @Test
  void triesAgainWhatFailed() {
    AtomicInteger times = new AtomicInteger();
    loop =
        loop(
            Duration.ofMillis(1),
            () -> {
              if (times.incrementAndGet() < 4) {
                throw new IllegalStateException("not yet");
              }
              return false;
            });
    loop.start();

    await().until(() -> times.get() > 4);
  }

  @Test
  void endsWhileItWaits() {
    loop.start();
    await()
        .until(
            () ->
                thread()
                    .map(Thread::getState)
                    .filter(Thread.State.TIMED_WAITING::equals)
                    .isPresent());
    loop.close();

    assertThat(thread()).isEmpty();
    loop.close();
  }

  @Test
  void interruptsWorkThatDoesNotEnd() throws Exception {
    CountDownLatch works = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    loop =
        loop(
            LONG,
            () -> {
              works.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return true;
            });
    loop.start();
    works.await();
    loop.close();

    assertThat(interrupted.await(0, TimeUnit.SECONDS)).isTrue();
    assertThat(thread()).isEmpty();
  }

  @Test
  void startsOnceAndNeverAfterItWasClosed() {
    loop.start();
    assertThatThrownBy(loop::start).isInstanceOf(IllegalStateException.class);
    PollingLoop closed = loop(LONG, () -> false);
    closed.close();
    assertThatThrownBy(closed::start).isInstanceOf(IllegalStateException.class);
  }

  private static Optional<Thread> thread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("polls"))
        .findFirst();
  }
}
