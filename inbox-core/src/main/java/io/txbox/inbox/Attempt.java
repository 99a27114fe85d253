package io.txbox.inbox;

import io.txbox.internal.guard.Guard;
import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * Runs one transaction: claim, handler, check, commit. What goes wrong comes out as it is, with
 * {@link #stage()} telling where; all is rolled back by then. Used once, by one thread.
 */
final class Attempt {
  private final InboxDatabase database;
  private final Duration claimWait;
  private Stage stage = Stage.CLAIM;
  private @Nullable Guard guard;

  Attempt(InboxDatabase database, Duration claimWait) {
    this.database = database;
    this.claimWait = claimWait;
  }

  /** Where an attempt was when it ended. */
  enum Stage {
    CLAIM,
    HANDLER,
    COMMIT
  }

  Stage stage() {
    return stage;
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
        .filter(FailureKind::mayPass)
        .orElseGet(() -> SqlErrors.kindOf(error, database.dialect()));
  }

  Receipt run(Incoming incoming, InboxRow row) {
    return database
        .dsl()
        .transactionResult(
            tx -> tx.dsl().connectionResult(connection -> deliver(incoming, row, tx, connection)));
  }

  private Receipt deliver(Incoming incoming, InboxRow row, Configuration tx, Connection connection)
      throws SQLException {
    Claim claim = database.dialect().claim(connection, database.schema(), List.of(row), claimWait);
    if (claim instanceof Claim.Again again) {
      throw new BeginAgainException(again.reason());
    }
    if (claim instanceof Claim.Decided decided && !decided.claimed().contains(row.dedupKey())) {
      return Receipt.duplicate(incoming.key(), causeOf(row, InboxDatabase.own(tx)));
    }
    stage = Stage.HANDLER;
    handle(incoming, tx, connection);
    stage = Stage.COMMIT;
    database.dialect().checkBeforeCommit(connection);
    return Receipt.processed(incoming.key());
  }

  private void handle(Incoming incoming, Configuration tx, Connection connection) {
    Guard opened = Guard.over(connection, database.dialect());
    guard = opened;
    try (opened) {
      incoming.handler().handle(incoming.message(), opened.tx(tx));
    } catch (Throwable e) { // Whatever it is: it must roll back, and a lane must survive it.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new HandlerThrewException(e);
    }
    opened.misuse().ifPresent(this::refuse);
    opened.firstError().ifPresent(this::refuse);
  }

  private void refuse(SQLException error) {
    throw new SwallowedException(error);
  }

  private DuplicateCause causeOf(InboxRow row, DSLContext tx) {
    InboxTable inbox = database.schema().inbox();
    Record there =
        tx.select(inbox.messageId, inbox.bodyFingerprint)
            .from(inbox)
            .where(inbox.scopeId.eq(row.scopeId()))
            .and(inbox.dedupKey.eq(row.dedupKey()))
            .fetchOptional()
            .orElseThrow(() -> new BeginAgainException("the row that was in the way has gone"));
    if (!there.get(inbox.bodyFingerprint).equals(row.bodyFingerprint())) {
      return DuplicateCause.CONFLICT;
    }
    return there.get(inbox.messageId).equals(row.messageId())
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
      super(thrown);
      this.thrown = thrown;
    }

    Throwable thrown() {
      return thrown;
    }
  }

  /** Says that the handler returned normally after an SQL error, or after a refused call. */
  static final class SwallowedException extends RuntimeException {
    SwallowedException(SQLException cause) {
      super(cause);
    }
  }
}
