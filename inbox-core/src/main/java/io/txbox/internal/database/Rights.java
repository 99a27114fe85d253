package io.txbox.internal.database;

import io.txbox.SetupException;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxClockTable;
import io.txbox.store.InboxLeaseTable;
import io.txbox.store.InboxParkedTable;
import io.txbox.store.InboxQueueTable;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.InboxTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out at the start what the database's user may not do: during work, each message would fail
 * for it. Each right is tried by a statement that concerns no row, since what a server's catalog
 * says of rights leaves out some (roles, defaults, rights of columns).
 */
public final class Rights {
  private static final Logger log = LoggerFactory.getLogger(Rights.class);
  private static final String NO_ROW = "1 = 0";

  private final Database database;
  private final List<String> missing = new ArrayList<>();
  private final List<RuntimeException> refusals = new ArrayList<>();
  private boolean answers = true;

  private Rights(Database database) {
    this.database = database;
  }

  /**
   * Checks what an inbox does with its tables.
   *
   * @throws SetupException if the user may not, with all that he may not, as far as the database
   *     answered
   */
  public static void ofInbox(Database database) {
    InboxScopeTable scope = database.schema().scope();
    InboxTable inbox = database.schema().inbox();
    InboxParkedTable parked = database.schema().parked();
    new Rights(database)
        .select(scope)
        .insert(scope, scope.consumerGroup, scope.scope, scope.createdAt)
        .select(inbox)
        .insert(inbox, inbox.fields())
        .update(inbox, inbox.state, inbox.processedAt)
        .delete(inbox)
        .select(parked)
        .insert(parked, allBut(parked.id, parked))
        .require();
  }

  /**
   * Checks what a janitor does with txbox's tables.
   *
   * @throws SetupException if the user may not, with all that he may not
   */
  public static void ofJanitor(Database database) {
    InboxScopeTable scope = database.schema().scope();
    InboxTable inbox = database.schema().inbox();
    InboxLeaseTable lease = database.schema().lease();
    InboxQueueTable queue = database.schema().queue();
    InboxClockTable clock = database.schema().clock();
    new Rights(database)
        .select(scope)
        .update(scope, scope.horizon, scope.margin, scope.horizonAnnouncedAt, scope.purgeHorizon)
        .select(inbox)
        .update(inbox, inbox.state) // Any column will do, to lock what it deletes.
        .delete(inbox)
        .select(lease)
        .insert(lease, lease.lease, lease.term, lease.beat)
        .update(lease, lease.holder, lease.term, lease.beat)
        .select(queue)
        .insert(queue, queue.fields())
        .update(queue, queue.consumedThrough, queue.seenAt)
        .delete(queue)
        .select(clock)
        .insert(clock, clock.fields())
        .delete(clock)
        .require();
  }

  private static Field<?>[] allBut(Field<?> generated, Table<?> table) {
    return Stream.of(table.fields())
        .filter(field -> !field.equals(generated))
        .toArray(Field<?>[]::new);
  }

  private Rights select(Table<?> table) {
    return attempt("SELECT", table, dsl -> dsl.selectFrom(table).where(NO_ROW).execute());
  }

  private Rights insert(Table<?> table, Field<?>... columns) {
    return attempt(
        "INSERT",
        table,
        dsl ->
            dsl.insertInto(table, columns)
                .select(dsl.select(columns).from(table).where(NO_ROW))
                .execute());
  }

  private Rights update(Table<?> table, Field<?>... columns) {
    Map<Field<?>, Field<?>> toItself =
        Stream.of(columns).collect(Collectors.toMap(Function.identity(), Function.identity()));
    return attempt("UPDATE", table, dsl -> dsl.update(table).set(toItself).where(NO_ROW).execute());
  }

  private Rights delete(Table<?> table) {
    return attempt("DELETE", table, dsl -> dsl.deleteFrom(table).where(NO_ROW).execute());
  }

  private Rights attempt(String right, Table<?> table, Function<DSLContext, Integer> statement) {
    if (!answers) {
      return this;
    }
    try {
      database.inTransaction(statement);
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      if (SqlErrors.kindOfOurs(e, database.dialect()) == FailureKind.PERMANENT) {
        missing.add(right + " on " + table.getName());
        refusals.add(e);
      } else { // Such as a lock of somebody's, that each further one would wait for as well.
        answers = false;
        log.warn("Whether the database's user has the rights that txbox needs is not known", e);
      }
    }
    return this;
  }

  private void require() {
    if (!missing.isEmpty()) {
      SetupException refused =
          new SetupException(
              "The database's user cannot do all that txbox does: "
                  + String.join(", ", missing)
                  + ". The first failed by: "
                  + SqlErrors.words(refusals.get(0))
                  + ". If it lacks rights, grant those that docs/operations.md names for a service"
                  + " that may not run DDL.",
              refusals.get(0));
      refusals.stream().skip(1).forEach(refused::addSuppressed);
      throw refused;
    }
  }
}
