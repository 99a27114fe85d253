package io.txbox.samples.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The business tables. The database itself writes down each change that commits, by triggers, so
 * that a double and a loss that make up for each other are still seen.
 */
final class Shop {
  private static final List<String> TABLES =
      List.of(
          "create table account (id text primary key, balance bigint not null)",
          "create table orders (id text primary key, state text not null)",
          "create table stock"
              + " (id text primary key, quantity bigint not null, version bigint not null)",
          "create table trail (subject text not null, change bigint not null)",
          // Only a naive consumer's.
          "create table handled_message (id text primary key)",
          """
          create function write_trail() returns trigger language plpgsql as $$
          begin
            if tg_table_name = 'account' then
              insert into trail values (new.id, new.balance - old.balance);
            elsif tg_table_name = 'orders' then
              insert into trail values (new.id, case new.state when 'PAID' then 1 else -1 end);
            else
              insert into trail values (new.id, new.quantity - old.quantity);
            end if;
            return null;
          end $$
          """);

  private Shop() {}

  /** Creates the tables and opens each account, order and article. */
  static void open(DataSource dataSource, Map<String, Long> opening) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : TABLES) {
        statement.execute(sql);
      }
      insert(connection, "account", "insert into account values (?, ?)", opening);
      insert(
          connection,
          "order",
          "insert into orders select ?, case ?::bigint when 1 then 'PAID' else 'NEW' end",
          opening);
      insert(connection, "article", "insert into stock values (?, ?, 0)", opening);
      for (String table : List.of("account", "orders", "stock")) {
        statement.execute(
            "create trigger trail after update on %s for each row execute function write_trail()"
                .formatted(table));
      }
    }
  }

  private static void insert(
      Connection connection, String kind, String sql, Map<String, Long> opening)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (Map.Entry<String, Long> subject : opening.entrySet()) {
        if (subject.getKey().startsWith(kind + "-")) {
          insert.setString(1, subject.getKey());
          insert.setLong(2, subject.getValue());
          insert.addBatch();
        }
      }
      insert.executeBatch();
    }
  }
}
