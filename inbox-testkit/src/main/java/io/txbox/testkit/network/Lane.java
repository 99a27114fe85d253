package io.txbox.testkit.network;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One direction of all connections: its fault, its trap, its count. */
final class Lane {

  private final AtomicLong passed = new AtomicLong();
  private volatile @Nullable Trap trap;
  private Fault fault = Fault.NONE;

  synchronized void fault(Fault wanted) {
    fault = wanted;
    notifyAll();
  }

  CompletableFuture<Void> trap(Trap wanted) {
    trap = wanted;
    return wanted.struck();
  }

  @Nullable Trap trap() {
    return trap;
  }

  void restore() {
    trap = null;
    fault(Fault.NONE);
  }

  /** Waits while the lane is stalled, so that nothing is read. */
  synchronized void awaitReading(Link link) throws InterruptedException {
    while (fault.stalls() && !link.isClosed()) {
      wait(100);
    }
  }

  /**
   * Holds bytes that were read at this time, for as long as the lane is stalled or delays.
   *
   * @return whether to pass them on
   */
  synchronized boolean admit(long readAt, Link link) throws InterruptedException {
    while (!link.isClosed()) {
      long left = fault.stalls() ? 100 : millisLeft(readAt);
      if (left <= 0) {
        return !fault.swallows();
      }
      wait(left);
    }
    return false;
  }

  private long millisLeft(long readAt) {
    return fault.delay().toMillis() - (System.nanoTime() - readAt) / 1_000_000;
  }

  void count(int bytes) {
    passed.addAndGet(bytes);
  }

  long passed() {
    return passed.get();
  }
}
