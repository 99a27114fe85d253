package io.txbox.internal.database;

import io.txbox.SetupException;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/**
 * Finds out at the start what the database's user may not do: during work, it would be taken for an
 * outage that never ends. Each right is tried by a statement that concerns no row, since what a
 * server's catalog says of rights leaves out some (roles, defaults, rights of columns).
 */
public final class Rights {
  private static final Condition NO_ROW = DSL.falseCondition();

  private final Database database;
  private final List<String> missing = new ArrayList<>();
  private final List<RuntimeException> refusals = new ArrayList<>();

  private Rights(Database database) {
    this.database = database;
  }

  /**
   * Checks what an inbox does with its tables.
   *
   * @throws SetupException if the user may not, with all that he may not
   */
  public static void ofInbox(Database database) {
    InboxSchema schema = database.schema();
    new Rights(database)
        .select(schema.scope())
        .insert(schema.scope(), schema.scope().id)
        .select(schema.inbox())
        .insert(schema.inbox())
        .update(schema.inbox(), schema.inbox().state)
        .delete(schema.inbox())
        .select(schema.parked())
        .insert(schema.parked(), schema.parked().id)
        .require();
  }

  /**
   * Checks what a janitor does with txbox's tables.
   *
   * @throws SetupException if the user may not, with all that he may not
   */
  public static void ofJanitor(Database database) {
    InboxSchema schema = database.schema();
    new Rights(database)
        .select(schema.scope())
        .update(schema.scope(), schema.scope().horizon)
        .select(schema.inbox())
        .update(schema.inbox(), schema.inbox().state) // To lock what it deletes.
        .delete(schema.inbox())
        .select(schema.lease())
        .insert(schema.lease())
        .update(schema.lease(), schema.lease().term)
        .select(schema.queue())
        .insert(schema.queue())
        .update(schema.queue(), schema.queue().seenAt)
        .delete(schema.queue())
        .select(schema.clock())
        .insert(schema.clock())
        .delete(schema.clock())
        .require();
  }

  private Rights select(Table<?> table) {
    return attempt("SELECT", table, dsl -> dsl.selectOne().from(table).where(NO_ROW).execute());
  }

  /** The server gives values to the columns that it is to give them to. */
  private Rights insert(Table<?> table, Field<?>... exceptFor) {
    List<Field<?>> columns = new ArrayList<>(List.of(table.fields()));
    columns.removeAll(List.of(exceptFor));
    return attempt(
        "INSERT",
        table,
        dsl ->
            dsl.insertInto(table, columns)
                .select(dsl.select(columns).from(table).where(NO_ROW))
                .execute());
  }

  private <T> Rights update(Table<?> table, TableField<Record, T> column) {
    return attempt(
        "UPDATE", table, dsl -> dsl.update(table).set(column, column).where(NO_ROW).execute());
  }

  private Rights delete(Table<?> table) {
    return attempt("DELETE", table, dsl -> dsl.deleteFrom(table).where(NO_ROW).execute());
  }

  private Rights attempt(String right, Table<?> table, Function<DSLContext, Integer> statement) {
    try {
      database.inTransaction(statement);
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      if (SqlErrors.kindOf(e, database.dialect()) == FailureKind.PERMANENT) {
        missing.add(right + " on " + table.getName());
        refusals.add(e);
      }
    }
    return this;
  }

  private void require() {
    if (!missing.isEmpty()) {
      SetupException refused =
          new SetupException(
              "The database's user may not do all that txbox does: "
                  + String.join(", ", missing)
                  + ". The first failed by: "
                  + refusals.get(0).getMessage()
                  + ". Grant what docs/operations.md names for a service that may not run DDL.",
              refusals.get(0));
      refusals.stream().skip(1).forEach(refused::addSuppressed);
      throw refused;
    }
  }
}
