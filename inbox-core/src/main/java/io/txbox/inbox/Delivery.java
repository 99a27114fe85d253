package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.DeliveryException;
import io.txbox.InboxMessage;
import io.txbox.inbox.Attempt.BeginAgainException;
import io.txbox.inbox.Attempt.Stage;
import io.txbox.inbox.Attempt.Terms;
import io.txbox.store.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings messages of one route, each with another key, to an end, by as many transactions as that
 * takes. All run in one if that goes well; what does not go well is isolated, such that the others
 * commit. A transient error of the database is retried at once, up to a bound; a key that is busy
 * elsewhere is no fault of the message and costs it nothing. Used once, by one thread.
 */
final class Delivery {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final int MAX_DOUBLINGS = 6;
  private static final Duration BUSY_PAUSE = Duration.ofMillis(200);

  private final Engine engine;
  private final Patience patience;
  private final BooleanSupplier stopped;
  private final Map<Incoming, Ending> endings = new LinkedHashMap<>();
  private final Map<String, Set<Incoming>> holders = new HashMap<>();
  private final long startedAt = System.nanoTime();
  private List<Incoming> all = List.of();
  private @Nullable RuntimeException outage;
  private Duration claimWait;
  private boolean trouble;
  private int ran;
  private Duration handlerTime = Duration.ZERO;

  /**
   * Makes a delivery.
   *
   * @param stopped says, after a failure, whether to give up; an interrupt that was only the
   *     handler's own is over by then
   */
  Delivery(Engine engine, Patience patience, BooleanSupplier stopped) {
    this.engine = engine;
    this.patience = patience;
    this.claimWait = patience.claimWait();
    this.stopped = stopped;
  }

  /**
   * How long a delivery goes on.
   *
   * @param claimWait how long one claim waits for a rival
   * @param busyWait how long the claims of single messages wait once a claim of many has
   * @param toTheEnd whether it waits again for a rival, and fails in an outage; or gives the
   *     messages back, for later
   * @param time for how long a batch begins further messages
   */
  record Patience(Duration claimWait, Duration busyWait, boolean toTheEnd, Duration time) {}

  /** Runs the messages and says how each of them ended; the listeners have been told by then. */
  Map<Incoming, Ending> run(List<Incoming> messages, boolean isolated) {
    all = messages;
    together(messages, isolated);
    for (Incoming incoming : messages) {
      if (endings.get(incoming) instanceof Ending.Suspect) {
        endings.remove(incoming);
        if (incoming.order() != null) {
          holders.getOrDefault(incoming.order(), Set.of()).remove(incoming);
        }
        together(List.of(incoming), false);
      }
    }
    return endings;
  }

  /** Says whether anything went wrong that a smaller batch would suffer less from. */
  boolean trouble() {
    return trouble;
  }

  /** Returns how many messages were given to the handler, in transactions that came to commit. */
  int ran() {
    return ran;
  }

  /** Returns how long the handler took for these. */
  Duration handlerTime() {
    return handlerTime;
  }

  private void together(List<Incoming> messages, boolean isolated) {
    List<Incoming> rest = inTurn(messages);
    int retries = 0;
    while (!rest.isEmpty()) {
      Attempt attempt = engine.attempt(terms(isolated && rest.size() > 1), stopped);
      try {
        committed(attempt, attempt.run(engine.rows(rest)));
        return;
      } catch (Throwable thrown) { // Also an error of the pool's: it is told like any failure.
        RuntimeException e =
            thrown instanceof RuntimeException exception
                ? exception
                : new IllegalStateException("The transaction ended with an error", thrown);
        trouble |= rest.size() > 1 && !(e instanceof BeginAgainException);
        FailureKind kind = attempt.kindOf(e);
        if (stopped.getAsBoolean()) {
          comeAgain(rest, e);
        } else if (engine.isOutage(attempt.stage(), kind)) {
          outage(rest, e);
        } else if (attempt.stage() == Stage.CLAIM && kind.isWaitThatEnded()) {
          busy(rest, e);
        } else if (kind.mayPass() || kind == FailureKind.OUTAGE) { // Of this connection alone.
          again(rest, isolated, retries++, e);
        } else if (rest.size() == 1 || kind == FailureKind.BROKEN_OFF) {
          // A claim of each alone would take a row that was committed without its effects for one
          // with them.
          failed(rest, e);
        } else if (attempt.stage() == Stage.HANDLER) {
          attempt.culprit().ifPresent(culprit -> blame(culprit, attempt.isShared(), e));
          isolated = true;
        } else {
          eachAlone(rest);
        }
      }
      rest = inTurn(rest);
    }
  }

  private Terms terms(boolean isolated) {
    return new Terms(claimWait, patience.time(), isolated, null);
  }

  /** Leaves out what has ended, and ends what must not run now. */
  private List<Incoming> inTurn(List<Incoming> messages) {
    List<Incoming> left = new ArrayList<>(messages.size());
    for (Incoming message : messages) {
      if (endings.containsKey(message)) {
        continue;
      }
      if (message.isHeldBack()) {
        endings.put(message, new Ending.HeldBack());
      } else if (outage != null) { // Each would find out for itself, after the pool's time-out.
        outage(List.of(message), outage);
      } else if (isHeld(message)) {
        hold(message, new Ending.NotRun());
      } else {
        left.add(message);
      }
    }
    return left;
  }

  /** Says whether one before it in its order has not come to its end. */
  private boolean isHeld(Incoming message) {
    return message.order() != null
        && holders.getOrDefault(message.order(), Set.of()).stream()
            .anyMatch(holder -> all.indexOf(holder) < all.indexOf(message));
  }

  /** Ends a message, which nothing with its order and behind it may get past. */
  private void hold(Incoming message, Ending ending) {
    endings.put(message, ending);
    if (message.order() != null) {
      holders.computeIfAbsent(message.order(), any -> new HashSet<>()).add(message);
    }
  }

  /** A failure counts if it came about in a transaction that the message shared with no other. */
  private void blame(Incoming culprit, boolean shared, RuntimeException error) {
    if (shared) {
      hold(culprit, new Ending.Suspect());
    } else {
      failed(List.of(culprit), error);
    }
  }

  private void eachAlone(List<Incoming> messages) {
    messages.forEach(message -> together(List.of(message), false));
  }

  private void committed(Attempt attempt, Map<Incoming, Ending> ended) {
    ran += attempt.ran();
    handlerTime = handlerTime.plus(attempt.handlerTime());
    ended.forEach(
        (incoming, ending) -> {
          if (ending instanceof Ending.Done done) {
            endings.put(incoming, ending);
            done.lateBefore()
                .ifPresent(lateBefore -> engine.events().tell(late(incoming, lateBefore)));
            engine.events().tell(ended(incoming, done));
          } else if (ending instanceof Ending.HeldBack) {
            endings.put(incoming, ending);
          } else {
            trouble |= ending instanceof Ending.Suspect;
            hold(incoming, ending);
          }
        });
  }

  private InboxEvent ended(Incoming incoming, Ending.Done done) {
    Receipt receipt = done.receipt();
    InboxMessage message = incoming.message();
    DedupKey key = incoming.key();
    return switch (receipt.outcome()) {
      case PROCESSED -> new InboxEvent.Processed(message, key, elapsed());
      case DUPLICATE ->
          new InboxEvent.Duplicate(message, key, receipt.duplicateCause().orElseThrow());
      case PARKED ->
          new InboxEvent.Parked(message, key, receipt.parkReason().orElseThrow(), done.failure());
      case DISCARDED -> new InboxEvent.Discarded(message, key);
    };
  }

  private InboxEvent late(Incoming incoming, Instant lateBefore) {
    return new InboxEvent.Late(
        incoming.message(), incoming.key(), lateBefore, engine.lateness().policy());
  }

  /** Ends messages whose attempts have failed: they come again, or are parked if that is over. */
  private void failed(List<Incoming> messages, RuntimeException error) {
    for (Incoming incoming : messages) {
      if (incoming.isHeldBack()) {
        endings.put(incoming, new Ending.HeldBack());
        continue;
      }
      DeliveryException failure = Failures.explain(incoming.message(), error);
      if (!incoming.isExhausted() || !park(incoming, failure)) {
        comeAgain(incoming, failure);
      }
    }
  }

  /** Parks a message in a transaction of its own; says whether that came about. */
  private boolean park(Incoming incoming, DeliveryException failure) {
    Attempt attempt =
        engine.attempt(new Terms(claimWait, patience.time(), false, failure), stopped);
    try {
      committed(attempt, attempt.run(engine.rows(List.of(incoming))));
      return true;
    } catch (Throwable e) { // Whatever it is, the message comes again.
      failure.addSuppressed(e);
      return false;
    }
  }

  /** Ends messages that must be delivered again, since there was no time to end them otherwise. */
  private void comeAgain(List<Incoming> messages, RuntimeException error) {
    for (Incoming incoming : messages) {
      if (incoming.isHeldBack()) {
        endings.put(incoming, new Ending.HeldBack());
      } else {
        comeAgain(incoming, Failures.explain(incoming.message(), error));
      }
    }
  }

  private void comeAgain(Incoming incoming, DeliveryException failure) {
    endings.put(incoming, new Ending.Failed(failure));
    incoming.holdBackTheRest();
    engine.events().tell(new InboxEvent.Failed(incoming.message(), incoming.key(), failure));
  }

  private void outage(List<Incoming> messages, RuntimeException error) {
    if (patience.toTheEnd()) {
      comeAgain(messages, error);
      return;
    }
    outage = error;
    messages.forEach(
        incoming ->
            endings.put(incoming, new Ending.Outage(Failures.explain(incoming.message(), error))));
  }

  /** Finds out which one is busy, and waits for it or leaves it for later. */
  private void busy(List<Incoming> messages, RuntimeException error) {
    if (messages.size() > 1) {
      claimWait = patience.busyWait(); // They have waited, all together.
      eachAlone(messages);
      return;
    }
    Incoming incoming = messages.get(0);
    engine.events().tell(new InboxEvent.Busy(incoming.message(), incoming.key(), elapsed()));
    if (patience.toTheEnd()) {
      pause(BUSY_PAUSE.toNanos(), messages, error); // The session's own limit may be far shorter.
      return;
    }
    hold(incoming, new Ending.Busy());
  }

  /**
   * Lets messages run again after an error that may pass, or that broke one connection of a
   * database which takes writes: one message by itself, many as two halves.
   */
  private void again(
      List<Incoming> messages, boolean isolated, int retries, RuntimeException error) {
    if (messages.size() == 1 && retries >= engine.maxTransientRetries()) {
      failed(messages, error);
      return;
    }
    for (Incoming incoming : messages) {
      engine
          .events()
          .tell(new InboxEvent.Retried(incoming.message(), incoming.key(), retries + 1, error));
    }
    long bound = FIRST_PAUSE.toNanos() << Math.min(retries, MAX_DOUBLINGS);
    pause(ThreadLocalRandom.current().nextLong(bound), messages, error);
    if (messages.size() > 1) {
      int half = messages.size() / 2;
      together(messages.subList(0, half), isolated);
      together(messages.subList(half, messages.size()), isolated);
    }
  }

  private void pause(long nanos, List<Incoming> messages, RuntimeException error) {
    LockSupport.parkNanos(nanos);
    if (stopped.getAsBoolean()) {
      comeAgain(messages, error);
    }
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
