package io.txbox.benchmarks;

import java.util.List;

/**
 * A ratio that is to be reached.
 *
 * @param name what is compared, as in {@code a : b}
 * @param reach the ratio
 */
record Goal(String name, Case left, Case right, double reach) {
  /** The largest number of connections that lanes may use. */
  static final int CONNECTIONS = 8;

  private static final Case INBOX = new Case(Arm.INBOX, Cost.STATEMENTS);
  private static final Case PLAIN = new Case(Arm.PLAIN, Cost.STATEMENTS);
  private static final Case STATUS_TABLE = new Case(Arm.STATUS_TABLE, Cost.STATEMENTS);

  static final List<Goal> ALL =
      List.of(
          new Goal("inbox with lanes : no dedup, one transaction per message", INBOX, PLAIN, 3),
          new Goal("inbox with lanes : status-table dedup", INBOX, STATUS_TABLE, 6),
          new Goal(
              "BatchInboxHandler : status-table dedup",
              new Case(Arm.INBOX_BATCH, Cost.STATEMENTS),
              STATUS_TABLE,
              15),
          new Goal(
              "inbox with lanes : no dedup in the same lanes",
              INBOX,
              new Case(Arm.PLAIN_LANES, Cost.STATEMENTS),
              0.9),
          new Goal(
              "inbox, lanes off : no dedup, one transaction per message",
              new Case(Arm.INBOX_OFF, Cost.STATEMENTS),
              PLAIN,
              0.75),
          new Goal(
              "duplicates only : new messages, both with lanes",
              new Case(Arm.DUPLICATES, Cost.NOTHING),
              INBOX,
              3),
          new Goal(
              "1,000 contended rows : uncontended",
              INBOX,
              new Case(Arm.INBOX, Cost.UNCONTENDED),
              0.9),
          new Goal(
              "handler of 5 ms, same number of connections : no dedup",
              new Case(Arm.INBOX, Cost.WAIT),
              new Case(Arm.PLAIN_NARROW, Cost.WAIT),
              0.95));
}
