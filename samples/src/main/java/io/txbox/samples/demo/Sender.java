package io.txbox.samples.demo;

import io.txbox.testkit.broker.ForgedMessage;
import io.txbox.testkit.broker.TestProducer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends as the world does: a send that fails is made again, as a new message, until the broker has
 * it. Works on a thread of its own, whatever happens to the others.
 */
final class Sender implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(250);

  private final TestProducer producer;
  private final Ledger ledger;
  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
  private final Thread thread = new Thread(this::work, "sender");

  Sender(TestProducer producer, Ledger ledger) {
    this.producer = producer;
    this.ledger = ledger;
    thread.setDaemon(true);
    thread.start();
  }

  private record Part(List<Send> sends, Duration time, CompletableFuture<Void> done) {}

  /** Sends these, evenly over this time, after all that it was given before. */
  CompletableFuture<Void> send(List<Send> sends, Duration time) {
    Part part = new Part(sends, time, new CompletableFuture<>());
    parts.add(part);
    return part.done();
  }

  private void work() {
    try {
      while (true) {
        work(parts.take());
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void work(Part part) throws InterruptedException {
    long start = System.nanoTime();
    long step = part.time().toNanos() / Math.max(1, part.sends().size());
    for (int i = 0; i < part.sends().size(); i++) {
      TimeUnit.NANOSECONDS.sleep(start + i * step - System.nanoTime());
      send(part.sends().get(i));
    }
    part.done().complete(null);
  }

  private void send(Send send) throws InterruptedException {
    boolean stored = false;
    while (!stored) {
      try {
        sendOnce(send);
        stored = true;
      } catch (IllegalStateException e) {
        ledger.unanswered();
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      }
    }
  }

  private void sendOnce(Send send) {
    Business business = send.business();
    ForgedMessage message =
        producer.message(business.topic().name(), send.body()).key(business.id());
    business.properties().forEach(message::property);
    String id = message.send().getMsgId();
    ledger.sent(business);
    if (send.twice()) {
      ledger.sendsAgain(business.topic(), id);
      message.send();
      ledger.sent(business);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
