package io.txbox.rocketmq;

import io.txbox.InboxMessage;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;
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
  private final InboxLanes lanes;
  private final int lastAttempt;
  private final CountDownLatch released = new CountDownLatch(1);
  private int inFlight;
  private boolean open = true;

  /**
   * Opens it.
   *
   * @param instance the consumer group
   * @param lastAttempt the attempt after which RocketMQ delivers a message no more
   */
  Intake(String instance, InboxLanes lanes, int lastAttempt) {
    this.instance = instance;
    this.lanes = lanes;
    this.lastAttempt = lastAttempt;
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

  /** Takes messages that may be handled in any order, and waits for what becomes of each. */
  List<Outcome> take(List<MessageExt> messages) {
    return take(messages, lanes::submit);
  }

  /**
   * Takes messages that must be handled in this order, and waits for what becomes of each. Once one
   * must be delivered again, so must those behind it.
   *
   * @param order names what they are the next part of
   */
  List<Outcome> takeInOrder(String order, List<MessageExt> messages) {
    return take(messages, received -> lanes.submitInOrder(order, received));
  }

  private List<Outcome> take(
      List<MessageExt> messages,
      Function<List<InboxMessage>, List<CompletableFuture<Receipt>>> submit) {
    if (!enter()) {
      hold();
      return Collections.nCopies(messages.size(), Outcome.HELD);
    }
    List<Boolean> ended;
    try {
      ended = process(messages, submit);
    } finally {
      leave();
    }
    if (ended.contains(false) && !isOpen()) {
      hold();
      return Collections.nCopies(messages.size(), Outcome.HELD);
    }
    return ended.stream().map(done -> done ? Outcome.ACKNOWLEDGE : Outcome.RETRY).toList();
  }

  private List<Boolean> process(
      List<MessageExt> messages,
      Function<List<InboxMessage>, List<CompletableFuture<Receipt>>> submit) {
    List<CompletableFuture<Receipt>> receipts;
    try {
      receipts = submit.apply(messages.stream().map(ReceivedMessages::of).toList());
    } catch (Throwable e) { // The edge: whatever it is, nothing is acknowledged.
      messages.forEach(message -> warn(message, e));
      return Collections.nCopies(messages.size(), false);
    }
    awaitAll(receipts);
    List<Boolean> ended = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      ended.add(await(receipts.get(i), messages.get(i)));
    }
    return ended;
  }

  /** All at once: a thread that waits for each wakes up for each. */
  private static void awaitAll(List<CompletableFuture<Receipt>> receipts) {
    CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new))
        .exceptionally(any -> null) // Each says for itself how it ended.
        .join();
  }

  private boolean await(CompletableFuture<Receipt> receipt, MessageExt message) {
    try {
      receipt.join();
      return true;
    } catch (CompletionException e) {
      warn(message, e.getCause());
    } catch (CancellationException e) {
      log.debug("{} - {} did not run: {}", instance, message.getMsgId(), e.getMessage());
    } catch (RuntimeException e) { // The edge.
      warn(message, e);
    }
    return false;
  }

  private void warn(MessageExt message, @Nullable Throwable cause) {
    int attempt = message.getReconsumeTimes() + 1;
    if (attempt < lastAttempt) {
      log.warn(
          "{} - {} of topic {} has failed at attempt {} and will be delivered again",
          instance,
          message.getMsgId(),
          message.getTopic(),
          attempt,
          cause);
    } else {
      log.warn(
          "{} - {} of topic {} has failed at attempt {}, its last one: RocketMQ puts it into the"
              + " topic {} and delivers it no more",
          instance,
          message.getMsgId(),
          message.getTopic(),
          attempt,
          MixAll.getDLQTopic(instance),
          cause);
    }
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
  private void hold() {
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
  }
}
