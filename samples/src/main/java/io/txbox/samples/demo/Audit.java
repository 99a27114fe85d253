package io.txbox.samples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Holds the sender's ledger against the business tables. It asks neither txbox nor its tables.
 *
 * @param tallies what was found, for each topic
 */
record Audit(Map<Topic, Tally> tallies) {

  /**
   * What has become of the messages of one topic.
   *
   * @param ids distinct business ids in the ledger
   * @param effects committed changes in the database
   * @param doubled ids that have changed something more than once
   * @param tooMuch what these changed too much, in all
   * @param lost ids that have changed nothing
   * @param missing what these should have changed, in all
   * @param strange changes that no id of the ledger explains
   * @param expected the sum of all numbers by the ledger
   * @param actual the sum of all numbers in the database
   * @param different how many numbers are not the ledger's
   */
  record Tally(
      int ids,
      int effects,
      int doubled,
      long tooMuch,
      int lost,
      long missing,
      int strange,
      long expected,
      long actual,
      int different) {

    boolean isRight() {
      return doubled == 0 && lost == 0 && strange == 0 && different == 0 && effects == ids;
    }
  }

  private static final String EFFECTS =
      "select subject, delta, count(*) from trail group by subject, delta";

  private static final String BALANCES =
      "select id, balance from account"
          + " union all select id, case state when 'PAID' then 1 else 0 end from orders"
          + " union all select id, quantity from stock";

  static Audit of(DataSource dataSource, Ledger ledger) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      Map<Effect, Integer> effects = effects(statement);
      Map<String, Long> balances = balances(statement);
      Map<Topic, Tally> tallies = new EnumMap<>(Topic.class);
      for (Topic topic : Topic.values()) {
        tallies.put(topic, new Count(topic).count(ledger, effects, balances));
      }
      return new Audit(tallies);
    }
  }

  Tally tally(Topic topic) {
    return tallies.getOrDefault(topic, new Tally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  boolean isRight() {
    return tallies.values().stream().allMatch(Tally::isRight);
  }

  private static Map<Effect, Integer> effects(Statement statement) throws SQLException {
    Map<Effect, Integer> found = new HashMap<>();
    try (ResultSet rows = statement.executeQuery(EFFECTS)) {
      while (rows.next()) {
        found.put(new Effect(rows.getString(1), rows.getLong(2)), rows.getInt(3));
      }
    }
    return found;
  }

  private static Map<String, Long> balances(Statement statement) throws SQLException {
    Map<String, Long> found = new HashMap<>();
    try (ResultSet rows = statement.executeQuery(BALANCES)) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getLong(2));
      }
    }
    return found;
  }

  private static final class Count {
    private final Topic topic;
    private int ids;
    private int effects;
    private int doubled;
    private long tooMuch;
    private int lost;
    private long missing;
    private int strange;
    private long expected;
    private long actual;
    private int different;

    Count(Topic topic) {
      this.topic = topic;
    }

    Tally count(Ledger ledger, Map<Effect, Integer> found, Map<String, Long> balances) {
      Map<Effect, Integer> unexplained = new HashMap<>(found);
      for (Business business : ledger.business()) {
        if (business.topic() == topic) {
          add(business.effect(), found.getOrDefault(business.effect(), 0));
          unexplained.remove(business.effect());
        }
      }
      unexplained.forEach(this::addStrange);
      ledger.balances().forEach((subject, sum) -> addBalance(subject, sum, balances.get(subject)));
      return new Tally(
          ids, effects, doubled, tooMuch, lost, missing, strange, expected, actual, different);
    }

    private void add(Effect effect, int times) {
      ids++;
      effects += times;
      if (times == 0) {
        lost++;
        missing += Math.abs(effect.change());
      } else if (times > 1) {
        doubled++;
        tooMuch += Math.abs(effect.change()) * (times - 1);
      }
    }

    private void addStrange(Effect effect, int times) {
      if (isOurs(effect.subject())) {
        strange += times;
        effects += times;
      }
    }

    private void addBalance(String subject, long wanted, @Nullable Long found) {
      if (isOurs(subject)) {
        expected += wanted;
        actual += found == null ? 0 : found;
        different += found != null && found == wanted ? 0 : 1;
      }
    }

    private boolean isOurs(String subject) {
      return subject.startsWith(
          switch (topic) {
            case PAYMENT -> "account-";
            case ORDER -> "order-";
            case STOCK -> "article-";
          });
    }
  }
}
