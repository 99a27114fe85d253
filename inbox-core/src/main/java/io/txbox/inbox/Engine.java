package io.txbox.inbox;

import io.txbox.inbox.Attempt.Stage;
import io.txbox.inbox.Attempt.Terms;
import io.txbox.internal.database.Database;
import io.txbox.internal.guard.SqlGate;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What all deliveries of an inbox share. Thread-safe. */
record Engine(
    Database database,
    SqlGate gate,
    InboxRows rowsOf,
    Lateness lateness,
    Exhaustion exhaustion,
    int maxTransientRetries,
    Events events) {
  Attempt attempt(Terms terms, BooleanSupplier stopped) {
    return new Attempt(this, terms, stopped);
  }

  /** Makes the rows that say that messages were processed now. */
  Map<Incoming, InboxRow> rows(List<Incoming> messages) {
    Map<Incoming, InboxRow> rows = new LinkedHashMap<>();
    messages.forEach(incoming -> rows.put(incoming, rowsOf.processed(incoming)));
    return rows;
  }

  /**
   * Says whether an error shows that the database is out of order. An error that says so is not
   * believed before a write of our own fails too: a handler may break its own connection, or say so
   * by mistake, and would run again for ever. If not even a transaction could be begun, no message
   * can be to blame; but what may pass at once, such as a rival's insert of the same scope, is
   * none.
   */
  boolean isOutage(Stage stage, FailureKind kind) {
    return stage == Stage.BEGIN
        ? !kind.mayPass()
        : kind == FailureKind.OUTAGE && !database.takesWrites();
  }
}
