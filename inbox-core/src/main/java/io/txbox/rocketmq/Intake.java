package io.txbox.rocketmq;

import io.txbox.internal.lane.Lanes;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.apache.rocketmq.common.message.MessageExt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages from the client's threads, hands them to the lanes and waits for the outcome.
 *
 * <p>Once it is closed to new ones, a message that was not begun, or did not come to an end, is
 * held: its thread gives the client no answer until the client has stored its offsets and forgotten
 * its queues. Any answer before that would either acknowledge the message or send a copy of it
 * back.
 */
final class Intake {
  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  private final String instance;
  private final Lanes lanes;
  private final CountDownLatch released = new CountDownLatch(1);
  private int inFlight;
  private boolean open = true;

  Intake(String instance, Lanes lanes) {
    this.instance = instance;
    this.lanes = lanes;
  }

  /** What became of a message, for the client. */
  enum Outcome {
    /** It may be acknowledged. */
    ACKNOWLEDGE,
    /** It must be delivered again. */
    RETRY,
    /** The consumer has stopped; the client ignores the answer. */
    HELD
  }

  Outcome take(MessageExt message) {
    if (!enter()) {
      return hold();
    }
    boolean ended = false;
    try {
      ended = process(message);
    } finally {
      leave();
    }
    if (ended) {
      return Outcome.ACKNOWLEDGE;
    }
    return isOpen() ? Outcome.RETRY : hold();
  }

  private boolean process(MessageExt message) {
    try {
      lanes.submit(ReceivedMessages.of(message)).join();
      return true;
    } catch (CompletionException e) {
      log.warn("{} - {} will be delivered again", instance, message.getMsgId(), e.getCause());
    } catch (RuntimeException e) { // The edge: whatever it is, the message is not acknowledged.
      log.warn("{} - {} will be delivered again", instance, message.getMsgId(), e);
    }
    return false;
  }

  /** Takes no more messages. */
  synchronized void close() {
    open = false;
  }

  /**
   * Waits until no message is in flight.
   *
   * @return whether that came about in time
   */
  synchronized boolean awaitDrained(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (inFlight > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000 + 1);
    }
    return true;
  }

  /** Lets the threads go that hold a message. */
  void release() {
    released.countDown();
  }

  private synchronized boolean isOpen() {
    return open;
  }

  private synchronized boolean enter() {
    if (open) {
      inFlight++;
    }
    return open;
  }

  private synchronized void leave() {
    inFlight--;
    notifyAll();
  }

  /** The client interrupts its threads as it stops; that is no reason to answer earlier. */
  private Outcome hold() {
    boolean interrupted = false;
    while (released.getCount() > 0) {
      try {
        released.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return Outcome.HELD;
  }
}
