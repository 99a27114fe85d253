package io.txbox.internal.lane;

import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.Receipt;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs messages through an inbox on a fixed number of threads, each of which uses one connection at
 * a time. Thread-safe.
 */
public final class Lanes {
  private static final Logger log = LoggerFactory.getLogger(Lanes.class);
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  private final String instance;
  private final Inbox inbox;
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final ExecutorService workers;

  /**
   * Makes lanes; a thread starts when it is first needed.
   *
   * @param instance the name that the threads and the log begin with
   * @param count the number of lanes
   */
  public Lanes(String instance, int count, Inbox inbox) {
    this.instance = instance;
    this.inbox = inbox;
    this.workers = Executors.newFixedThreadPool(count, threads());
  }

  /** Hands a message over; the future has the receipt once its transaction is committed. */
  public CompletableFuture<Receipt> submit(InboxMessage message) {
    return CompletableFuture.supplyAsync(() -> inbox.receive(message), workers);
  }

  /** Interrupts what still runs, and waits for it to end. Idempotent. */
  public void close() {
    workers.shutdownNow();
    boolean interrupted = false;
    try {
      if (!workers.awaitTermination(LAST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        threads.stream()
            .filter(Thread::isAlive)
            .forEach(
                thread ->
                    log.warn(
                        "{} - {} did not end: its handler or the database does not answer to an"
                            + " interrupt",
                        instance,
                        thread.getName()));
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private ThreadFactory threads() {
    AtomicInteger next = new AtomicInteger(1);
    return work -> {
      Thread thread = new Thread(work, instance + "-lane-" + next.getAndIncrement());
      threads.add(thread);
      return thread;
    };
  }
}
