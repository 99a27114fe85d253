package io.txbox.samples.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * What is there at first, and what is sent in which order. The same seed gives the same plan.
 *
 * @param opening the number that each subject of an {@link Effect} has before anything is sent
 */
record Plan(Map<String, Long> opening, List<Send> sends) {
  private static final int ACCOUNTS = 20;
  private static final int ARTICLES = 4;
  private static final int IN_A_ROW = 5;

  /** How often the sender's code sends one business id at most. */
  private static final int MOST = 3;

  private static final long PIECES = 1_000_000;

  static Plan of(int payments, long seed) {
    return new Maker(seed).make(payments);
  }

  /** Returns the part of this number, from 0, if all is divided into so many parts. */
  List<Send> part(int number, int parts) {
    int all = sends.size();
    return sends.subList(all * number / parts, all * (number + 1) / parts);
  }

  private record Placed(double at, Send send) {}

  private static final class Maker {
    private final Random random;
    private final Map<String, Long> opening = new LinkedHashMap<>();
    private final List<Placed> sends = new ArrayList<>();
    private final Set<Long> amounts = new HashSet<>();

    Maker(long seed) {
      this.random = new Random(seed);
    }

    Plan make(int payments) {
      for (int i = 0; i < ACCOUNTS; i++) {
        opening.put("account-" + i, 0L);
      }
      for (int i = 0; i < ARTICLES; i++) {
        opening.put("article-" + i, PIECES);
      }
      for (int i = 0; i < payments; i++) {
        double at = (double) i / payments;
        payment(at, i);
        order(at, i);
        withdrawal(at, i);
      }
      sends.sort(Comparator.comparingDouble(Placed::at));
      return new Plan(opening, sends.stream().map(Placed::send).toList());
    }

    private void payment(double at, int i) {
      String account = "account-" + random.nextInt(ACCOUNTS);
      Business payment = Business.payment("pay-" + i, account, newAmount());
      boolean rewritten = i % 15 == 0;
      sendOften(at, payment, i % 6 == 0, rewritten ? MOST - 1 : MOST);
      if (rewritten) {
        // The same amount, written in another way, as a new release of the sender might.
        later(at, new Send(payment, "+" + payment.body(), false));
      }
    }

    private void order(double at, int i) {
      String order = "order-" + i;
      opening.put(order, 0L);
      Business paid = Business.paid(order);
      boolean reversed = i % 5 == 0;
      sendOften(at, paid, i % 6 == 1, reversed ? MOST - 1 : MOST);
      if (reversed) {
        sendOften(at + 0.05, Business.reversed(order), false, MOST);
        // A copy that comes when the order is NEW again.
        later(at + 0.2, new Send(paid, paid.body(), false));
      }
    }

    private void withdrawal(double at, int i) {
      // Several in a row take the same article, so that they meet.
      int row = i / IN_A_ROW;
      String article = "article-" + row % ARTICLES;
      int quantity = 1 + row / ARTICLES * IN_A_ROW + i % IN_A_ROW;
      Business withdrawal = Business.withdrawal("take-" + i, article, quantity);
      sendOften(at, withdrawal, i % 6 == 2, MOST);
    }

    /** Sends it once and up to so many times. */
    private void sendOften(double at, Business business, boolean twice, int most) {
      sends.add(new Placed(at, new Send(business, business.body(), twice)));
      for (int copies = random.nextInt(most); copies > 0; copies--) {
        later(at, new Send(business, business.body(), false));
      }
    }

    private void later(double than, Send send) {
      sends.add(new Placed(than + 0.01 + random.nextDouble() / 5, send));
    }

    private long newAmount() {
      long cents;
      do {
        cents = random.nextLong(1_00, 500_00);
      } while (!amounts.add(cents));
      return cents;
    }
  }
}
