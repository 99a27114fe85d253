package io.txbox.testkit.contract;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import io.txbox.InboxHandler;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The business side of the contract tests: a table with a row for each effect. A message says by
 * its property {@value #NAME} which effect it wants; nothing keeps the same effect from happening
 * twice.
 */
final class Effects {
  static final String NAME = "effect";
  static final String TOUCHES = "touches";

  private static final Table<Record> TABLE = table(name("business_effect"));
  private static final Field<String> EFFECT = field(name("effect"), SQLDataType.VARCHAR(100));

  private final DSLContext dsl;

  Effects(DSLContext dsl) {
    this.dsl = dsl;
  }

  /** Makes an empty table. */
  void reset() {
    dsl.dropTableIfExists(TABLE).execute();
    dsl.createTable(TABLE).column(EFFECT.getName(), SQLDataType.VARCHAR(100)).execute();
  }

  /** A handler that has the effect that its message asks for. */
  static InboxHandler handler() {
    return (message, tx) -> {
      add(tx, message.property(NAME).orElseThrow());
      message.property(TOUCHES).ifPresent(effect -> touch(tx, effect));
    };
  }

  /** Has an effect, in a transaction. */
  static void add(DSLContext tx, String effect) {
    tx.insertInto(TABLE, EFFECT).values(effect).execute();
  }

  /** Locks the row of an effect, by an update that changes nothing. */
  static void touch(DSLContext tx, String effect) {
    tx.update(TABLE).set(EFFECT, effect).where(EFFECT.eq(effect)).execute();
  }

  /** Returns all effects that are committed, sorted. */
  List<String> all() {
    return dsl.select(EFFECT).from(TABLE).orderBy(EFFECT).fetch(EFFECT);
  }

  /** Returns how many effects are committed. */
  int count() {
    return count(dsl);
  }

  /** Returns how many effects a transaction sees. */
  static int count(DSLContext tx) {
    return tx.fetchCount(TABLE);
  }
}
