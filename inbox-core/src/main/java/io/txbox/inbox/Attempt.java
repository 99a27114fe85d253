package io.txbox.inbox;

import io.txbox.DeliveryException;
import io.txbox.inbox.Receipt.Outcome;
import io.txbox.internal.database.Database;
import io.txbox.internal.database.SqlErrors;
import io.txbox.internal.guard.Guard;
import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxTable;
import io.txbox.store.KnownRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Runs one transaction for messages of one route, each with another key: claim, handler, check,
 * commit. What goes wrong comes out as it is, with {@link #stage()} and {@link #culprit()} telling
 * where; all is rolled back by then. Used once, by one thread.
 */
final class Attempt {
  private final Engine engine;
  private final Database database;
  private final Terms terms;
  private final BooleanSupplier stopped;
  private final Map<Incoming, Ending> endings = new LinkedHashMap<>();
  private final Map<Incoming, Ending.Done> late = new LinkedHashMap<>();
  private final Set<String> unclaimed = new HashSet<>();
  private final Set<String> heldOrders = new HashSet<>();
  private Stage stage = Stage.BEGIN;
  private @Nullable Incoming culprit;
  private @Nullable Guard guard;
  private boolean shared;
  private int ran;
  private long handlerNanos;

  /**
   * Makes an attempt.
   *
   * @param stopped says whether to begin no further message; an interrupt that was only the
   *     handler's own is over by then
   */
  Attempt(Engine engine, Terms terms, BooleanSupplier stopped) {
    this.engine = engine;
    this.database = engine.database();
    this.terms = terms;
    this.stopped = stopped;
  }

  /**
   * How a transaction runs.
   *
   * @param claimWait how long a claim waits for a rival
   * @param time for how long it begins further messages
   * @param isolated whether a savepoint before each message keeps its failure from the others
   * @param lastFailure how the messages have failed for the last time: they are parked, and not
   *     handled; null if they are to be handled
   */
  record Terms(
      Duration claimWait,
      Duration time,
      boolean isolated,
      @Nullable DeliveryException lastFailure) {}

  /** Where an attempt was when it ended. */
  enum Stage {
    BEGIN,
    CLAIM,
    HANDLER,
    COMMIT
  }

  Stage stage() {
    return stage;
  }

  /** Returns the message whose handler failed, if it was the handler of one message. */
  Optional<Incoming> culprit() {
    return Optional.ofNullable(culprit);
  }

  /** Says whether several messages shared the transaction, each with a handler call of its own. */
  boolean isShared() {
    return shared;
  }

  /** Returns how many messages were given to their handler. */
  int ran() {
    return ran;
  }

  /** Returns how long the handler took, for all of them. */
  Duration handlerTime() {
    return Duration.ofNanos(handlerNanos);
  }

  /** Says what an error that came out of {@link #run} means. */
  FailureKind kindOf(RuntimeException error) {
    if (error instanceof BeginAgainException) {
      return FailureKind.TRANSIENT;
    }
    // The handler's first error counts: later ones may only say that the transaction has failed.
    return Optional.ofNullable(guard)
        .flatMap(Guard::firstError)
        .map(database.dialect()::classify)
        .filter(kind -> kind.mayPass() || kind == FailureKind.OUTAGE)
        .orElseGet(
            () ->
                stage == Stage.HANDLER
                    ? SqlErrors.kindOf(error, database.dialect())
                    : SqlErrors.kindOfOurs(error, database.dialect()));
  }

  /**
   * Runs the transaction.
   *
   * @param batch each message with its row, in the order in which they are to run
   * @return what became of each message, committed
   */
  Map<Incoming, Ending> run(Map<Incoming, InboxRow> batch) {
    return database
        .dsl()
        .transactionResult(
            tx -> tx.dsl().connectionResult(connection -> deliver(batch, tx, connection)));
  }

  private Map<Incoming, Ending> deliver(
      Map<Incoming, InboxRow> batch, Configuration tx, Connection connection) throws SQLException {
    stage = Stage.CLAIM;
    Set<String> claimed = claim(batch.values(), connection);
    Map<Incoming, InboxRow> fresh = new LinkedHashMap<>();
    Map<Incoming, InboxRow> copies = new LinkedHashMap<>();
    batch.forEach(
        (incoming, row) -> (claimed.contains(row.dedupKey()) ? fresh : copies).put(incoming, row));
    if (!copies.isEmpty()) {
      recognise(copies, Database.own(tx));
    }
    setAside(fresh, Database.own(tx));
    stage = Stage.HANDLER;
    if (!fresh.isEmpty()) {
      handle(fresh, tx, connection);
    }
    stage = Stage.COMMIT;
    if (!unclaimed.isEmpty()) {
      giveUpClaims(fresh.values().iterator().next().scopeId(), Database.own(tx));
    }
    database.dialect().checkBeforeCommit(connection);
    return endings;
  }

  /** Ends those of the messages that are not to be handled; the others are left. */
  private void setAside(Map<Incoming, InboxRow> fresh, DSLContext tx) {
    if (!fresh.isEmpty()) {
      late.putAll(engine.lateness().endings(fresh, tx));
      late.forEach(
          (incoming, ending) -> {
            if (!ending.receipt().isProcessed()) {
              end(incoming, ending, fresh);
            }
          });
    }
    if (!fresh.isEmpty()) {
      DeliveryException failure = terms.lastFailure();
      Map<Incoming, Ending.Done> parked =
          failure == null
              ? engine.exhaustion().parkFollowers(fresh, tx)
              : engine.exhaustion().park(fresh, failure, tx);
      parked.forEach((incoming, ending) -> end(incoming, ending, fresh));
    }
  }

  private void end(Incoming incoming, Ending ending, Map<Incoming, InboxRow> fresh) {
    fresh.remove(incoming);
    endings.put(incoming, ending);
  }

  private Set<String> claim(Collection<InboxRow> rows, Connection connection) throws SQLException {
    List<InboxRow> sorted = rows.stream().sorted(Comparator.comparing(InboxRow::dedupKey)).toList();
    Claim claim =
        database.dialect().claim(connection, database.schema(), sorted, terms.claimWait());
    if (claim instanceof Claim.Decided decided) {
      return decided.claimed();
    }
    throw new BeginAgainException(((Claim.Again) claim).reason());
  }

  private void handle(Map<Incoming, InboxRow> fresh, Configuration tx, Connection connection)
      throws SQLException {
    List<Incoming> all = List.copyOf(fresh.keySet());
    HeldKeys held = HeldKeys.of(all);
    try {
      if (all.get(0).route().takesMany() && !terms.isolated()) {
        culprit = all.size() == 1 ? all.get(0) : null;
        call(all, tx, connection);
        all.forEach(this::processed);
        return;
      }
      shared = all.size() > 1;
      handleEach(fresh, tx, connection);
    } finally {
      held.release();
    }
  }

  private void handleEach(Map<Incoming, InboxRow> fresh, Configuration tx, Connection connection)
      throws SQLException {
    long begun = System.nanoTime();
    for (Incoming incoming : fresh.keySet()) {
      if (incoming.isHeldBack()) {
        notRun(incoming, fresh, new Ending.HeldBack());
      } else if (isHeld(incoming) || (ran > 0 && (stopped.getAsBoolean() || isOver(begun)))) {
        notRun(incoming, fresh, new Ending.NotRun());
      } else if (terms.isolated() && shared) {
        handleIsolated(incoming, fresh, tx, connection);
      } else {
        culprit = incoming;
        call(List.of(incoming), tx, connection);
        processed(incoming);
      }
    }
  }

  private boolean isOver(long begun) {
    return System.nanoTime() - begun > terms.time().toNanos();
  }

  /** Says whether one before it in its order is to run later. */
  private boolean isHeld(Incoming incoming) {
    return incoming.order() != null && heldOrders.contains(incoming.order());
  }

  private void handleIsolated(
      Incoming incoming, Map<Incoming, InboxRow> fresh, Configuration tx, Connection connection)
      throws SQLException {
    culprit = incoming;
    Savepoint before = connection.setSavepoint();
    try {
      call(List.of(incoming), tx, connection);
      processed(incoming);
    } catch (HandlerThrewException | SwallowedException | OwnTransactionException e) {
      FailureKind kind = kindOf(e);
      if (kind.mayPass() || kind == FailureKind.OUTAGE) {
        throw e;
      }
      connection.rollback(before);
      guard = null;
      notRun(incoming, fresh, new Ending.Suspect());
      if (incoming.order() != null) {
        heldOrders.add(incoming.order());
      }
    }
  }

  private void call(List<Incoming> messages, Configuration tx, Connection connection) {
    Guard opened = Guard.over(connection, engine.gate(), shared);
    guard = opened;
    long begun = System.nanoTime();
    try (opened) {
      messages
          .get(0)
          .route()
          .handler()
          .handle(messages.stream().map(Incoming::message).toList(), opened.tx(tx));
    } catch (Throwable e) { // Whatever it is: it must roll back, and a lane must survive it.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      opened.ownTransaction().ifPresent(Attempt::refuseToShare);
      throw new HandlerThrewException(Failures.printable(e));
    } finally {
      ran += messages.size();
      handlerNanos += System.nanoTime() - begun;
    }
    opened.ownTransaction().ifPresent(Attempt::refuseToShare);
    opened.misuse().ifPresent(Attempt::refuse);
    opened.firstError().ifPresent(Attempt::refuse);
    boolean unused = stopped.getAsBoolean(); // An interrupt of the handler's own ends here.
  }

  private static void refuse(SQLException error) {
    throw new SwallowedException(error);
  }

  private static void refuseToShare(SQLException asked) {
    throw new OwnTransactionException(asked);
  }

  private void processed(Incoming incoming) {
    endings.put(
        incoming,
        late.getOrDefault(
            incoming, new Ending.Done(Receipt.of(incoming.key(), Outcome.PROCESSED))));
  }

  private void notRun(Incoming incoming, Map<Incoming, InboxRow> fresh, Ending ending) {
    endings.put(incoming, ending);
    unclaimed.add(Objects.requireNonNull(fresh.get(incoming)).dedupKey());
  }

  /**
   * Takes back the rows of what did not come to its end: a committed row says that it did. One by
   * one, by the whole key: for a list of keys MySQL and MariaDB may read all rows of a small table,
   * locking each, and two lanes that do so wait for each other's.
   */
  private void giveUpClaims(short scopeId, DSLContext tx) {
    InboxTable inbox = database.schema().inbox();
    for (String key : unclaimed) {
      int deleted =
          tx.deleteFrom(inbox)
              .where(inbox.scopeId.eq(scopeId))
              .and(inbox.dedupKey.eq(key))
              .execute();
      if (deleted != 1) { // A function may have moved the search path.
        throw new IllegalStateException("The claim of " + key + " could not be given up");
      }
    }
  }

  private void recognise(Map<Incoming, InboxRow> copies, DSLContext tx) {
    short scopeId = copies.values().iterator().next().scopeId();
    List<String> keys = copies.values().stream().map(InboxRow::dedupKey).toList();
    Map<String, KnownRow> there =
        tx
            .connectionResult(
                connection -> database.dialect().find(connection, database.schema(), scopeId, keys))
            .stream()
            .collect(Collectors.toMap(KnownRow::dedupKey, Function.identity()));
    copies.forEach(
        (incoming, row) -> {
          KnownRow known = there.get(row.dedupKey());
          if (known == null) {
            throw new BeginAgainException("the row that was in the way has gone");
          }
          if (row.messageTime().isAfter(known.processedAt())) {
            extend(row, tx);
          }
          endings.put(
              incoming, new Ending.Done(Receipt.duplicate(incoming.key(), causeOf(row, known))));
        });
  }

  /** Keeps a row for as long as copies of this copy may come. */
  private void extend(InboxRow row, DSLContext tx) {
    InboxTable inbox = database.schema().inbox();
    int extended =
        tx.update(inbox)
            .set(inbox.processedAt, row.messageTime())
            .where(inbox.scopeId.eq(row.scopeId()))
            .and(inbox.dedupKey.eq(row.dedupKey()))
            .and(inbox.processedAt.lt(row.messageTime()))
            .execute();
    if (extended == 0) {
      throw new BeginAgainException("the row that was to be kept for longer has changed or gone");
    }
  }

  private static DuplicateCause causeOf(InboxRow row, KnownRow there) {
    if (there.bodyFingerprint() != row.bodyFingerprint()) {
      return DuplicateCause.CONFLICT;
    }
    return there.messageId().equals(row.messageId())
        ? DuplicateCause.REDELIVERY
        : DuplicateCause.RESENT;
  }

  /** Says that this transaction could not decide and the next one may. */
  static final class BeginAgainException extends RuntimeException {
    BeginAgainException(String reason) {
      super(reason);
    }
  }

  /** Carries what the handler threw through jOOQ's transaction, which wraps checked exceptions. */
  static final class HandlerThrewException extends RuntimeException {
    private final Throwable thrown;

    HandlerThrewException(Throwable thrown) {
      super("The handler threw", thrown); // Without a message, that of the cause is asked for.
      this.thrown = thrown;
    }

    Throwable thrown() {
      return thrown;
    }
  }

  /** Says that the handler asked for what is only possible in a transaction of its own. */
  static final class OwnTransactionException extends RuntimeException {
    OwnTransactionException(SQLException cause) {
      super(cause);
    }
  }

  /** Says that the handler returned normally after an SQL error, or after a refused call. */
  static final class SwallowedException extends RuntimeException {
    SwallowedException(SQLException cause) {
      super(cause);
    }
  }
}
