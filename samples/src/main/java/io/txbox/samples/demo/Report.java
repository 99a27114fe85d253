package io.txbox.samples.demo;

import io.txbox.samples.demo.Audit.Tally;
import io.txbox.samples.demo.Event.Outcome;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/**
 * What has come of a run, and the verdict.
 *
 * @param drained whether the broker has nothing left for the group
 */
record Report(
    Mode mode, Ledger ledger, Deliveries deliveries, Faults faults, Audit audit, boolean drained) {

  private static final String WHY_IT_THROWS =
      "  * by design, and delivered again: an order event came before the one that it builds on, or"
          + " two%n    withdrawals read the same version of an article".formatted();

  /** Says whether all effects are exactly once, and all that should have happened did happen. */
  boolean isRight() {
    return audit.isRight() && notShown().isEmpty();
  }

  /** Returns what did not happen, although the verdict is worth nothing without it. */
  List<String> notShown() {
    List<String> missing = new ArrayList<>();
    require(missing, faults.killedInTransaction > 0, "no kill hit an open transaction");
    require(
        missing,
        faults.killedAfterCommit > 0,
        "no message came again after a kill right after its commit");
    require(missing, faults.joined > 0 && faults.left > 0, "no instance joined and left");
    require(missing, faults.brokerKills > 0, "the broker was not killed");
    require(
        missing,
        faults.rewound > 0 && faults.deliveredAfterRewind >= faults.rewound,
        "the rewound messages did not come again");
    require(missing, drained, "the broker still has messages for the instances");
    if (!mode.isNaive()) {
      require(missing, byBroker() > 0, "the broker delivered nothing again");
      require(
          missing, sum(deliveries::byClient) > 0, "no message that the client resent was skipped");
      require(missing, deliveries.all(Outcome.RESENT) > 0, "no message was a new one of an old id");
      require(missing, deliveries.all(Outcome.CONFLICT) > 0, "no message came with another body");
    }
    return missing;
  }

  private static void require(List<String> missing, boolean happened, String otherwise) {
    if (!happened) {
      missing.add(otherwise);
    }
  }

  private int byBroker() {
    return deliveries.all(Outcome.REDELIVERY) - sum(deliveries::byClient);
  }

  private static int sum(ToIntFunction<Topic> number) {
    int sum = 0;
    for (Topic topic : Topic.values()) {
      sum += number.applyAsInt(topic);
    }
    return sum;
  }

  void print(PrintWriter out) {
    out.println();
    head(out);
    row(out, "messages sent, the broker has them", ledger::messages);
    row(out, "  of these resent by the client (staged)", ledger::clientRetries);
    row(out, "deliveries, as far as reported", deliveries::count);
    row(out, "distinct business ids", topic -> audit.tally(topic).ids());
    row(out, "effects in the database", topic -> audit.tally(topic).effects());
    row(out, "  ids that have it more than once", topic -> audit.tally(topic).doubled());
    row(out, "  ids that have it never", topic -> audit.tally(topic).lost());
    out.println();
    printDuplicates(out);
    row(out, "the handler threw, rolled back *", topic -> deliveries.count(topic, Outcome.FAILED));
    out.println(WHY_IT_THROWS);
    out.println();
    printBalances(out);
    out.println();
    printFaults(out);
    out.println();
    out.println(verdict());
    out.flush();
  }

  private void printDuplicates(PrintWriter out) {
    if (mode.isNaive()) {
      row(
          out,
          "skipped, the message id is known",
          topic -> deliveries.count(topic, Outcome.SKIPPED));
      return;
    }
    out.println("skipped as duplicates, because");
    row(
        out,
        "  the broker delivered it again",
        topic -> deliveries.count(topic, Outcome.REDELIVERY) - deliveries.byClient(topic));
    row(out, "  the client resent it, same message id", deliveries::byClient);
    row(out, "  the sender sent it anew, other message id", this::resent);
    row(
        out,
        "  staged: same id, other body (CONFLICT)",
        topic -> deliveries.count(topic, Outcome.CONFLICT));
  }

  private int resent(Topic topic) {
    return deliveries.count(topic, Outcome.RESENT);
  }

  private void printBalances(PrintWriter out) {
    out.printf(
        Locale.ROOT, "%-42s %14s %14s %14s%n", "balances", "ledger", "database", "difference");
    Tally accounts = audit.tally(Topic.PAYMENT);
    out.printf(
        Locale.ROOT,
        "%-42s %14s %14s %14s%n",
        "accounts" + wrong(accounts),
        money(accounts.expected()),
        money(accounts.actual()),
        money(accounts.actual() - accounts.expected()));
    number(out, "orders that are paid", audit.tally(Topic.ORDER));
    number(out, "pieces in stock", audit.tally(Topic.STOCK));
  }

  private static void number(PrintWriter out, String name, Tally tally) {
    out.printf(
        Locale.ROOT,
        "%-42s %,14d %,14d %,14d%n",
        name + wrong(tally),
        tally.expected(),
        tally.actual(),
        tally.actual() - tally.expected());
  }

  private static String wrong(Tally tally) {
    return tally.different() == 0 ? "" : ", %,d of them wrong".formatted(tally.different());
  }

  private void printFaults(PrintWriter out) {
    faults.lines(ledger.unansweredSends()).forEach(out::println);
  }

  /** Returns the last line. */
  String verdict() {
    if (!audit.isRight()) {
      return "WRONG: " + String.join("; ", wrongs());
    }
    if (!notShown().isEmpty()) {
      return "NOT SHOWN, run it again: " + String.join("; ", notShown());
    }
    return "EXACTLY ONCE: %,d business ids, %,d messages, %,d deliveries, %d kills, 0 doubled, 0 lost."
        .formatted(
            sum(topic -> audit.tally(topic).ids()),
            sum(ledger::messages),
            deliveries.all(),
            faults.kills());
  }

  private List<String> wrongs() {
    List<String> wrongs = new ArrayList<>();
    for (Topic topic : Topic.values()) {
      Tally tally = audit.tally(topic);
      if (tally.doubled() > 0) {
        wrongs.add(found(tally.doubled(), topic, "doubled", "+", tally.tooMuch()));
      }
      if (tally.lost() > 0) {
        wrongs.add(found(tally.lost(), topic, "lost", "-", tally.missing()));
      }
      if (tally.strange() > 0) {
        wrongs.add("%,d changes to %s that nobody sent".formatted(tally.strange(), topic.plural()));
      }
    }
    if (wrongs.isEmpty()) {
      wrongs.add("balances differ from the ledger, and no change explains it");
    }
    return wrongs;
  }

  private static String found(int ids, Topic topic, String what, String sign, long amount) {
    String worth = topic == Topic.PAYMENT ? " (%s%s)".formatted(sign, money(amount)) : "";
    return "%,d %s %s%s".formatted(ids, topic.plural(), what, worth);
  }

  private static void head(PrintWriter out) {
    out.printf("%-42s", "");
    for (Topic topic : Topic.values()) {
      out.printf(" %14s", topic.plural());
    }
    out.println();
  }

  private static void row(PrintWriter out, String name, ToIntFunction<Topic> number) {
    out.printf("%-42s", name);
    for (Topic topic : Topic.values()) {
      out.printf(Locale.ROOT, " %,14d", number.applyAsInt(topic));
    }
    out.println();
  }

  private static String money(long cents) {
    return "%,.2f".formatted(cents / 100.0);
  }
}
