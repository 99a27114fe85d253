package io.txbox.inbox;

import io.txbox.DatabaseFailedException;
import io.txbox.DeliveryException;
import io.txbox.HandlerFailedException;
import io.txbox.TransactionRefusedException;
import io.txbox.inbox.Attempt.HandlerThrewException;
import io.txbox.inbox.Attempt.Stage;
import io.txbox.inbox.Attempt.SwallowedException;
import io.txbox.store.FailureKind;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Brings one message to an end, by as many attempts as that takes: a transient error of the
 * database is retried at once, up to a bound; a key that is busy elsewhere is waited for without
 * one, since that is not the message's fault. Used once, by one thread.
 */
final class Delivery {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final int MAX_DOUBLINGS = 6;
  private static final Duration BUSY_PAUSE = Duration.ofMillis(200);

  private final Incoming incoming;
  private final InboxRows rows;
  private final Supplier<Attempt> attempts;
  private final int maxRetries;
  private final Events events;
  private final long startedAt = System.nanoTime();
  private int retries;

  Delivery(
      Incoming incoming,
      InboxRows rows,
      Supplier<Attempt> attempts,
      int maxRetries,
      Events events) {
    this.incoming = incoming;
    this.rows = rows;
    this.attempts = attempts;
    this.maxRetries = maxRetries;
    this.events = events;
  }

  Receipt run() {
    while (true) {
      Attempt attempt = attempts.get();
      try {
        return ended(attempt.run(incoming, rows.processed(incoming)));
      } catch (RuntimeException e) {
        if (!goesOn(attempt, e)) {
          throw failed(e);
        }
      }
    }
  }

  private Receipt ended(Receipt receipt) {
    events.tell(
        receipt
            .duplicateCause()
            .<InboxEvent>map(
                cause -> new InboxEvent.Duplicate(incoming.message(), incoming.key(), cause))
            .orElseGet(
                () -> new InboxEvent.Processed(incoming.message(), incoming.key(), elapsed())));
    return receipt;
  }

  private DeliveryException failed(RuntimeException error) {
    DeliveryException failure = explained(error);
    events.tell(new InboxEvent.Failed(incoming.message(), incoming.key(), failure));
    return failure;
  }

  private boolean goesOn(Attempt attempt, RuntimeException error) {
    if (Thread.currentThread().isInterrupted()) {
      return false;
    }
    FailureKind kind = attempt.kindOf(error);
    if (attempt.stage() == Stage.CLAIM && kind.isWaitThatEnded()) {
      events.tell(new InboxEvent.Busy(incoming.message(), incoming.key(), elapsed()));
      LockSupport.parkNanos(BUSY_PAUSE.toNanos()); // The session's own limit may be far shorter.
      return !Thread.currentThread().isInterrupted();
    }
    if (!kind.mayPass() || retries >= maxRetries) {
      return false;
    }
    retries++;
    events.tell(new InboxEvent.Retried(incoming.message(), incoming.key(), retries, error));
    pause();
    return !Thread.currentThread().isInterrupted();
  }

  private DeliveryException explained(RuntimeException error) {
    if (error instanceof HandlerThrewException threw) {
      HandlerFailedException failure =
          new HandlerFailedException(incoming.message(), threw.thrown());
      return suppressing(failure, threw);
    }
    if (error instanceof SwallowedException swallowed) {
      return new TransactionRefusedException(
          incoming.message(),
          "The handler returned normally after "
              + swallowed.getCause()
              + " -- all was rolled back, since a commit might store only a part. Let the error out"
              + " of the handler, or run what may fail inside tx.transaction(…)",
          swallowed.getCause());
    }
    return new DatabaseFailedException(
        incoming.message(), "The transaction did not commit, as far as is known", error);
  }

  /** Keeps what failed beside it, such as the rollback. */
  private static DeliveryException suppressing(DeliveryException failure, Throwable carrier) {
    for (Throwable also : carrier.getSuppressed()) {
      failure.addSuppressed(also);
    }
    return failure;
  }

  private void pause() {
    long bound = FIRST_PAUSE.toNanos() << Math.min(retries - 1, MAX_DOUBLINGS);
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound));
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
