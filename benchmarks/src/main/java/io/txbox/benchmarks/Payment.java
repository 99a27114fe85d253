package io.txbox.benchmarks;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.SQLDataType.BIGINT;
import static org.jooq.impl.SQLDataType.INTEGER;
import static org.jooq.impl.SQLDataType.VARCHAR;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;

/**
 * A message's content, and what its handler does.
 *
 * @param number counted from 0; the message's KEYS hold it
 */
record Payment(int number) {
  /** Rows that messages contend for. */
  static final int ACCOUNTS = 1_000;

  private static final Table<Record> PAYMENT = table(name("payment"));
  private static final Field<String> PAYMENT_ID = field(name("payment", "id"), VARCHAR);
  private static final Field<Integer> PAYMENT_ACCOUNT = field(name("payment", "account"), INTEGER);
  private static final Table<Record> ACCOUNT = table(name("account"));
  private static final Field<Integer> ACCOUNT_ID = field(name("account", "id"), INTEGER);
  private static final Field<Long> BALANCE = field(name("account", "balance"), BIGINT);

  private static final String PREFIX = "payment-";
  private static final long WAIT_NANOS = 5_000_000;

  static Payment of(String keys) {
    return new Payment(Integer.parseInt(keys, PREFIX.length(), keys.length(), 10));
  }

  String id() {
    return PREFIX + number;
  }

  /** Returns the account that it goes to: any of 1,000, or its own. */
  int account(Cost cost) {
    // Multiplied, so that what is sent one after the other goes to accounts far from each other.
    return cost == Cost.UNCONTENDED ? number : (int) (number * 2_654_435_761L % ACCOUNTS);
  }

  void handle(Cost cost, DSLContext tx) {
    switch (cost) {
      case NOTHING -> {}
      case WAIT -> await();
      case STATEMENTS, UNCONTENDED -> {
        int account = account(cost);
        tx.insertInto(PAYMENT, PAYMENT_ID, PAYMENT_ACCOUNT).values(id(), account).execute();
        tx.update(ACCOUNT).set(BALANCE, BALANCE.plus(1)).where(ACCOUNT_ID.eq(account)).execute();
      }
    }
  }

  private static void await() {
    long end = System.nanoTime() + WAIT_NANOS;
    for (long left = WAIT_NANOS; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Does for all what {@link #handle} does for one, in as many statements as for one. */
  static void handleAll(List<Payment> payments, Cost cost, Database database, DSLContext tx) {
    if (!cost.writes()) {
      return;
    }
    String[] ids = payments.stream().map(Payment::id).toArray(String[]::new);
    Integer[] accounts =
        payments.stream().map(payment -> payment.account(cost)).toArray(Integer[]::new);
    // Lanes never have the same account at once, so that the order of the locks does not matter.
    database.handleAll(ids, accounts, tx);
  }
}
