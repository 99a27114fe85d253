package io.txbox.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

/** The tables that messages have effects in, and the check that the effects are right. */
final class Tables {
  private static final List<String> EFFECTS = List.of("payment", "account", "consume_status");
  private static final List<String> ALL = List.of("payment", "account", "consume_status", "inbox");
  private static final int ROWS_AT_ONCE = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LATER = Duration.ofMillis(200);

  private final Database database;
  private final DSLContext dsl;

  private Tables(Database database, DSLContext dsl) {
    this.database = database;
    this.dsl = dsl;
  }

  /** Creates the tables beside those of txbox, which are there. */
  static Tables create(Database database, DSLContext dsl) {
    dsl.execute("create table account (id int primary key, balance bigint not null)");
    // Without a key: it would hide a doubled effect behind an error.
    dsl.execute("create table payment (id varchar(32) not null, account int not null)");
    dsl.execute(
        "create table consume_status (id varchar(32) primary key, state varchar(16) not null)");
    return new Tables(database, dsl);
  }

  /** Empties all of them, and lets no work for it be left for later. */
  void reset(Cost cost, int messages) {
    reset(ALL, cost, messages);
  }

  /** Does the same to all but the inbox. */
  void resetEffects(Cost cost, int messages) {
    reset(EFFECTS, cost, messages);
  }

  private void reset(List<String> tables, Cost cost, int messages) {
    tables.forEach(this::truncate);
    int accounts = cost == Cost.UNCONTENDED ? messages : Payment.ACCOUNTS;
    for (int from = 0; from < accounts; from += ROWS_AT_ONCE) {
      dsl.execute(
          IntStream.range(from, Math.min(from + ROWS_AT_ONCE, accounts))
              .mapToObj("(%d, 0)"::formatted)
              .collect(Collectors.joining(", ", "insert into account values ", "")));
    }
    for (String sql : database.tidy(tables)) {
      dsl.connection(connection -> execute(sql, connection));
    }
  }

  /** Tries again for a while: MariaDB may refuse it after heavy work, by error 1205. */
  private void truncate(String table) {
    for (long begun = System.nanoTime(); ; LockSupport.parkNanos(LATER.toNanos())) {
      try {
        dsl.execute("truncate table " + table);
        return;
      } catch (DataAccessException e) {
        boolean over = System.nanoTime() - begun > PATIENCE.toNanos();
        if (over || !(e.getCause() instanceof SQLException sql) || !mayPass(sql)) {
          throw e;
        }
      }
    }
  }

  private boolean mayPass(SQLException error) {
    return database.store().classify(error).mayPass();
  }

  /** Without jOOQ, which would parse it. */
  static void execute(String sql, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Checks that each message has each of its effects once.
   *
   * @throws WrongEffectsException if not
   */
  void check(Case measured, int messages) {
    checkEffects(measured, messages);
    long rows = measured.arm().hasInbox() ? messages : 0;
    expect(measured, "rows in the inbox", rows, "select count(*) from inbox");
    expect(measured, "different keys", rows, "select count(distinct dedup_key) from inbox");
    long marked = measured.arm() == Arm.STATUS_TABLE ? messages : 0;
    expect(
        measured,
        "messages marked as consumed",
        marked,
        "select count(*) from consume_status where state = 'CONSUMED'");
  }

  /**
   * Checks all but the inbox.
   *
   * @throws WrongEffectsException if a message does not have each of its effects once
   */
  void checkEffects(Case measured, int messages) {
    boolean handled = measured.arm() != Arm.DUPLICATES;
    long effects = handled && measured.cost().writes() ? messages : 0;
    expect(measured, "payments", effects, "select count(*) from payment");
    expect(measured, "different payments", effects, "select count(distinct id) from payment");
    expect(
        measured,
        "payments of messages that were sent",
        effects,
        "select count(*) from payment where id like 'payment-%%' and cast(substring(id from 9) as decimal(10)) < %d"
            .formatted(messages));
    expect(measured, "sum of the balances", effects, "select sum(balance) from account");
    expect(
        measured,
        "accounts whose balance is not that of their payments",
        0,
        "select count(*) from account left join (select account, count(*) as payments from payment"
            + " group by account) as paid on paid.account = account.id"
            + " where balance <> coalesce(payments, 0)");
  }

  /**
   * Checks a number.
   *
   * @throws WrongEffectsException if it is another one
   */
  void expect(Object measured, String what, long expected, String sql) {
    Long found = dsl.fetchSingle(sql).get(0, Long.class);
    if (found == null || found != expected) {
      throw new WrongEffectsException(measured, what, expected, found);
    }
  }
}
