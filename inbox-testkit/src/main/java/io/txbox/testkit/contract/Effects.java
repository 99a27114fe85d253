package io.txbox.testkit.contract;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import io.txbox.InboxHandler;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * The business side of the contract tests: a table with a row for each effect, and one of accounts.
 * A message says by its property {@value #NAME} which effect it wants, and by others what else its
 * handler is to do; nothing keeps the same effect from happening twice.
 */
final class Effects {
  static final String NAME = "effect";
  static final String TOUCHES = "touches";
  static final String PAUSES = "pauses";
  static final String CREDITS = "credits";
  static final String CENTS = "cents";

  private static final Table<Record> TABLE = table(name("business_effect"));
  private static final Field<String> EFFECT = field(name("effect"), SQLDataType.VARCHAR(100));

  private static final Table<Record> ACCOUNTS = table(name("business_account"));
  private static final Field<String> ACCOUNT = field(name("account"), SQLDataType.VARCHAR(100));
  private static final Field<Long> BALANCE = field(name("balance"), SQLDataType.BIGINT);

  private final DSLContext dsl;

  Effects(DSLContext dsl) {
    this.dsl = dsl;
  }

  /** Makes empty tables. */
  void reset() {
    dsl.dropTableIfExists(TABLE).execute();
    dsl.createTable(TABLE).column(EFFECT.getName(), SQLDataType.VARCHAR(100)).execute();
    dsl.dropTableIfExists(ACCOUNTS).execute();
    dsl.createTable(ACCOUNTS)
        .column(ACCOUNT.getName(), SQLDataType.VARCHAR(100))
        .column(BALANCE.getName(), SQLDataType.BIGINT)
        .primaryKey(ACCOUNT)
        .execute();
  }

  /** A handler that has the effect that its message asks for. */
  static InboxHandler handler() {
    return handler(() -> {});
  }

  /** A handler that does the same, and this after its first statement. */
  static InboxHandler handler(Runnable betweenStatements) {
    return (message, tx) -> {
      add(tx, message.property(NAME).orElseThrow());
      betweenStatements.run();
      pause(Long.parseLong(message.property(PAUSES).orElse("0")));
      message.property(TOUCHES).ifPresent(effect -> touch(tx, effect));
      if (message.property(CREDITS).isPresent()) {
        long cents = Long.parseLong(message.property(CENTS).orElseThrow());
        credit(tx, message.property(CREDITS).get(), cents);
      }
    };
  }

  private static void pause(long millis) throws InterruptedException {
    if (millis > 0) {
      new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Makes an empty account. */
  void open(String account) {
    dsl.insertInto(ACCOUNTS, ACCOUNT, BALANCE).values(account, 0L).execute();
  }

  private static void credit(DSLContext tx, String account, long cents) {
    tx.update(ACCOUNTS).set(BALANCE, BALANCE.plus(cents)).where(ACCOUNT.eq(account)).execute();
  }

  /** Returns what all accounts hold together. */
  long balance() {
    return dsl.select(sum(BALANCE)).from(ACCOUNTS).fetchSingle().value1().longValueExact();
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
