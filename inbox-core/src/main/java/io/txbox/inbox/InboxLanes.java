package io.txbox.inbox;

import io.txbox.InboxMessage;
import io.txbox.inbox.Delivery.Patience;
import io.txbox.inbox.InboxEvent.PauseReason;
import io.txbox.inbox.Sequence.Place;
import io.txbox.internal.lane.BatchResult;
import io.txbox.internal.lane.Job;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.internal.lane.LaneWork;
import io.txbox.internal.lane.Lanes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs messages through an inbox on few connections, many in a transaction. Whoever hands messages
 * over waits, and touches no database. Thread-safe.
 */
public final class InboxLanes implements AutoCloseable {
  /** A claim of many keys does not wait for long: the busy one is then found and waits alone. */
  private static final Duration CLAIM_WAIT = Duration.ofMillis(200);

  /** What was busy is looked at again and again, for this short time. */
  private static final Duration BUSY_CLAIM_WAIT = Duration.ofMillis(20);

  private static final Logger log = LoggerFactory.getLogger(InboxLanes.class);

  private final String instance;
  private final Inbox inbox;
  private final Patience patience;
  private final Patience patienceForBusy;
  private final Lanes<Handover> lanes;
  private final Object pause = new Object();
  private long pausedAt;

  /**
   * Makes lanes and starts their threads.
   *
   * @param instance the name that the threads and the log begin with
   */
  public InboxLanes(String instance, Inbox inbox, LaneSettings settings) {
    this.instance = instance;
    this.inbox = inbox;
    this.patience = new Patience(CLAIM_WAIT, BUSY_CLAIM_WAIT, false, settings.batchTime());
    this.patienceForBusy =
        new Patience(BUSY_CLAIM_WAIT, BUSY_CLAIM_WAIT, false, settings.batchTime());
    this.lanes = new Lanes<>(instance, settings, new Work());
  }

  /** A message that a lane has, or will have, and whoever waits for it. */
  private static final class Handover {
    private final Incoming incoming;
    private final CompletableFuture<Receipt> receipt = new CompletableFuture<>();
    private boolean wasBusy;

    Handover(Incoming incoming) {
      this.incoming = incoming;
    }
  }

  /** Jobs of one kind share a batch: they have one handler, and come for the first time or not. */
  private record Kind(Route route, boolean redelivered) {
    static Kind of(Incoming incoming) {
      return new Kind(incoming.route(), incoming.message().attempt() > 1);
    }
  }

  /**
   * Hands messages over, each for itself.
   *
   * @return for each message a future that has the receipt once its transaction is committed, or a
   *     {@link io.txbox.DeliveryException}, or is cancelled if it did not run
   */
  public List<CompletableFuture<Receipt>> submit(List<InboxMessage> messages) {
    return submit(messages, null);
  }

  /**
   * Hands messages over that must be handled in this order, and after those that were handed over
   * before under the same name. Once one has failed, those behind it are cancelled.
   *
   * @return as {@link #submit(List)} does
   */
  public List<CompletableFuture<Receipt>> submitInOrder(String order, List<InboxMessage> messages) {
    return submit(messages, new Sequence(order));
  }

  private List<CompletableFuture<Receipt>> submit(
      List<InboxMessage> messages, @Nullable Sequence sequence) {
    List<CompletableFuture<Receipt>> receipts = new ArrayList<>(messages.size());
    List<Job<Handover>> jobs = new ArrayList<>(messages.size());
    boolean refused = false;
    for (InboxMessage message : messages) {
      if (refused) {
        receipts.add(CompletableFuture.failedFuture(new CancellationException("Held back")));
        continue;
      }
      try {
        Incoming incoming = inbox.incoming(message);
        Handover handover =
            new Handover(
                sequence == null ? incoming : incoming.at(new Place(sequence, jobs.size())));
        receipts.add(handover.receipt);
        jobs.add(job(handover));
      } catch (Throwable e) { // Its key is refused; or the edge to a user's code.
        receipts.add(CompletableFuture.failedFuture(e));
        refused = sequence != null;
      }
    }
    lanes.submit(jobs);
    return receipts;
  }

  private static Job<Handover> job(Handover handover) {
    Incoming incoming = handover.incoming;
    return new Job<>(handover, Kind.of(incoming), incoming.key(), incoming.order());
  }

  /**
   * Takes nothing more until {@link #resume()}; what a lane has taken comes to its end. Idempotent.
   */
  public void pause() {
    synchronized (pause) {
      if (lanes.pause()) {
        pausedAt = System.nanoTime();
        tell(new InboxEvent.Paused(PauseReason.REQUESTED, Optional.empty()));
      }
    }
  }

  /** Goes on after {@link #pause()}. Idempotent. */
  public void resume() {
    synchronized (pause) {
      if (lanes.resume()) {
        Duration after = Duration.ofNanos(System.nanoTime() - pausedAt);
        tell(new InboxEvent.Resumed(PauseReason.REQUESTED, after));
      }
    }
  }

  /** Cancels what waits, and takes nothing more; what a lane has taken goes on. Idempotent. */
  public void stop() {
    lanes.stop();
  }

  /** Cancels what waits, interrupts what still runs, and waits for it to end. Idempotent. */
  @Override
  public void close() {
    lanes.close();
  }

  private void tell(InboxEvent event) {
    inbox.engine().events().tell(event);
  }

  private final class Work implements LaneWork<Handover> {
    @Override
    public BatchResult<Handover> run(List<Handover> batch) {
      try {
        return deliver(batch);
      } catch (Throwable e) { // The edge: a lane must survive it, and nobody wait for ever.
        batch.forEach(handover -> handover.receipt.completeExceptionally(e));
        return new BatchResult<>(Set.of(), Set.of(), 0, Duration.ZERO, true, Optional.empty());
      }
    }

    @Override
    public boolean isPossible() {
      try {
        return inbox.engine().database().takesWrites();
      } catch (Throwable e) { // The edge: an error of the pool's must not end the lane.
        log.warn("{} - It could not be tried whether the database takes writes", instance, e);
        return false;
      }
    }

    @Override
    public void paused(Throwable cause) {
      tell(new InboxEvent.Paused(PauseReason.OUTAGE, Optional.of(cause)));
    }

    @Override
    public void resumed(Duration after) {
      tell(new InboxEvent.Resumed(PauseReason.OUTAGE, after));
    }

    @Override
    public void abandon(Handover handover) {
      handover.receipt.completeExceptionally(new CancellationException("The lanes are closed"));
    }
  }

  private BatchResult<Handover> deliver(List<Handover> batch) {
    boolean wasBusy = batch.get(0).wasBusy;
    boolean redelivered = batch.get(0).incoming.message().attempt() > 1;
    Delivery delivery =
        new Delivery(inbox.engine(), wasBusy ? patienceForBusy : patience, this::isStopped);
    // What has failed before may well do so again, and must not take the others with it.
    Map<Incoming, Ending> endings =
        delivery.run(batch.stream().map(handover -> handover.incoming).toList(), redelivered);
    Set<Handover> again = new HashSet<>();
    Set<Handover> later = new HashSet<>();
    for (Handover handover : batch) {
      Ending ending = endings.get(handover.incoming);
      if (ending instanceof Ending.Done done) {
        handover.receipt.complete(done.receipt());
      } else if (ending instanceof Ending.Failed failed) {
        handover.receipt.completeExceptionally(failed.failure());
      } else if (ending instanceof Ending.HeldBack) {
        handover.receipt.completeExceptionally(new CancellationException("Held back"));
      } else if (ending instanceof Ending.Busy) {
        handover.wasBusy = true;
        later.add(handover);
      } else {
        again.add(handover);
      }
    }
    return new BatchResult<>(
        again, later, delivery.ran(), delivery.handlerTime(), delivery.trouble(), outage(endings));
  }

  /** A handler may leave its thread interrupted; that is no reason to fail the others. */
  private boolean isStopped() {
    boolean closed = lanes.isClosed();
    if (!closed && Thread.interrupted()) {
      log.debug("{} - A handler left its thread interrupted", instance);
    }
    return closed;
  }

  private static Optional<Throwable> outage(Map<Incoming, Ending> endings) {
    return endings.values().stream()
        .filter(Ending.Outage.class::isInstance)
        .<Throwable>map(ending -> ((Ending.Outage) ending).failure())
        .findFirst();
  }
}
