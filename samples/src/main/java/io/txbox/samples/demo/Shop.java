package io.txbox.samples.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import javax.sql.DataSource;

/**
 * The business tables. The database itself writes down each change that commits, by triggers, so
 * that a double and a loss that make up for each other are still seen.
 */
final class Shop {
  private static final List<String> TABLES =
      List.of(
          "create table account (id varchar(64) primary key, balance bigint not null)",
          "create table orders (id varchar(64) primary key, state varchar(16) not null)",
          "create table stock"
              + " (id varchar(64) primary key, quantity bigint not null, version bigint not null)",
          "create table trail (subject varchar(64) not null, delta bigint not null)",
          // Only a naive consumer's.
          "create table handled_message (id varchar(64) primary key)",
          // Where the server knows no names of sessions.
          "create table instance_session"
              + " (session bigint primary key, instance varchar(64) not null)");

  /** What a change of a row is worth. */
  private static final Map<String, String> DELTAS =
      Map.of(
          "account", "new.balance - old.balance",
          "orders", "case new.state when 'PAID' then 1 else -1 end",
          "stock", "new.quantity - old.quantity");

  private Shop() {}

  /** Creates the tables and opens each account, order and article. */
  static void open(Database database, DataSource dataSource, Map<String, Long> opening)
      throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : TABLES) {
        statement.execute(sql);
      }
      String account = "insert into account values (?, ?)";
      insert(connection, "account", account, opening, balance -> balance);
      String order = "insert into orders values (?, ?)";
      insert(connection, "order", order, opening, paid -> paid == 1 ? "PAID" : "NEW");
      String article = "insert into stock values (?, ?, 0)";
      insert(connection, "article", article, opening, quantity -> quantity);
      for (Map.Entry<String, String> table : DELTAS.entrySet()) {
        String trail = "insert into trail values (new.id, %s)".formatted(table.getValue());
        for (String sql : database.afterUpdate(table.getKey(), trail)) {
          statement.execute(sql);
        }
      }
    }
  }

  private static void insert(
      Connection connection,
      String kind,
      String sql,
      Map<String, Long> opening,
      LongFunction<Object> value)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (Map.Entry<String, Long> subject : opening.entrySet()) {
        if (subject.getKey().startsWith(kind + "-")) {
          insert.setString(1, subject.getKey());
          insert.setObject(2, value.apply(subject.getValue()));
          insert.addBatch();
        }
      }
      insert.executeBatch();
    }
  }
}
