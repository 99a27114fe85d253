package io.txbox.testkit.broker;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a broker in this JVM: all that are started, at any distance, by what runs in
 * {@link #call}.
 *
 * <p>RocketMQ ends its service threads by setting a flag and waiting until they look at it, one
 * after the other, up to five seconds each. They look at once when interrupted. A thread group
 * tells them from those of the clients that run in the same JVM under the same names.
 */
final class OwnThreads {

  private static final Duration PERIOD = Duration.ofMillis(20);

  private final ThreadGroup group;

  OwnThreads(String name) {
    this.group = new ThreadGroup(name);
  }

  /** Calls this in a thread of the group, and waits for what it returns. */
  <T> T call(Callable<T> task) {
    FutureTask<T> result = new FutureTask<>(task);
    new Thread(group, result, group.getName() + "-start").start();
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(group.getName() + " does not start", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + group.getName() + " starts", e);
    }
  }

  /** Runs this in the caller's thread, and meanwhile interrupts all others again and again. */
  void interruptWhile(Runnable shutdown) {
    CountDownLatch done = new CountDownLatch(1);
    Thread interrupter = new Thread(() -> interruptUntil(done), group.getName() + "-interrupter");
    interrupter.setDaemon(true);
    interrupter.start();
    try {
      shutdown.run();
    } finally {
      done.countDown();
    }
  }

  private void interruptUntil(CountDownLatch done) {
    try {
      do {
        group.interrupt();
      } while (!done.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
