package io.txbox.benchmarks;

import org.jooq.DSLContext;

/** The tables that messages have effects in, and the check that the effects are right. */
final class Tables {
  private final DSLContext dsl;

  private Tables(DSLContext dsl) {
    this.dsl = dsl;
  }

  /** Creates the tables beside those of txbox, which are there. */
  static Tables create(DSLContext dsl) {
    dsl.execute("create table account (id int primary key, balance bigint not null)");
    // Without a key: it would hide a doubled effect behind an error.
    dsl.execute("create table payment (id text not null, account int not null)");
    dsl.execute("create table consume_status (id text primary key, state text not null)");
    return new Tables(dsl);
  }

  /** Empties all of them, and lets no work for it be left for later. */
  void reset(Cost cost, int messages) {
    dsl.execute("truncate payment, account, consume_status, inbox");
    dsl.execute(
        "insert into account select id, 0 from generate_series(0, ?) as id",
        (cost == Cost.UNCONTENDED ? messages : Payment.ACCOUNTS) - 1);
    for (String table : new String[] {"payment", "account", "consume_status", "inbox"}) {
      dsl.connection(connection -> connection.createStatement().execute("vacuum analyze " + table));
    }
    dsl.execute("checkpoint");
  }

  /**
   * Checks that each message has each of its effects once.
   *
   * @throws WrongEffectsException if not
   */
  void check(Case measured, int messages) {
    boolean handled = measured.arm() != Arm.DUPLICATES;
    long effects = handled && measured.cost().writes() ? messages : 0;
    expect(measured, "payments", effects, "select count(*) from payment");
    expect(measured, "different payments", effects, "select count(distinct id) from payment");
    expect(
        measured,
        "payments of messages that were sent",
        effects,
        "select count(*) from generate_series(0, %d) as sent join payment on payment.id = 'payment-' || sent"
            .formatted(messages - 1));
    expect(measured, "sum of the balances", effects, "select sum(balance) from account");
    expect(
        measured,
        "accounts whose balance is not that of their payments",
        0,
        "select count(*) from account left join (select account, count(*) as payments from payment"
            + " group by account) as paid on paid.account = account.id"
            + " where balance <> coalesce(payments, 0)");
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

  private void expect(Case measured, String what, long expected, String sql) {
    Long found = dsl.fetchSingle(sql).get(0, Long.class);
    if (found == null || found != expected) {
      throw new WrongEffectsException(measured, what, expected, found);
    }
  }
}
