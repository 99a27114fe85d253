package io.txbox.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.mysql.MySqlDialect;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.database.TestDatabase;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jooq.DSLContext;

/** The databases, and all that differs between them. */
enum Database {
  POSTGRES("PostgreSQL") {
    @Override
    TestDatabase start() {
      return TestDatabase.onOwnPostgres();
    }

    @Override
    StoreDialect store() {
      return new PostgresDialect();
    }

    @Override
    void tune(HikariConfig pool) {
      // The driver's defaults are right.
    }

    @Override
    Storage storage() {
      return Storage.POSTGRES;
    }

    @Override
    String describe() {
      return "select 'PostgreSQL ' || current_setting('server_version') || ', fsync '"
          + " || current_setting('fsync') || ', synchronous_commit '"
          + " || current_setting('synchronous_commit')";
    }

    @Override
    List<String> tidy(List<String> tables) {
      return List.of("vacuum analyze " + String.join(", ", tables), "checkpoint");
    }

    @Override
    void handleAll(String[] ids, Integer[] accounts, DSLContext tx) {
      tx.execute("insert into payment (id, account) select * from unnest(?, ?)", ids, accounts);
      tx.execute(
          "update account set balance = balance + credited.payments from"
              + " (select id, count(*) as payments from unnest(?) as id group by id) as credited"
              + " where account.id = credited.id",
          (Object) accounts);
    }
  },

  MYSQL("MySQL") {
    @Override
    TestDatabase start() {
      return TestDatabase.onMySql();
    }

    @Override
    StoreDialect store() {
      return new MySqlDialect();
    }

    @Override
    void tune(HikariConfig pool) {
      pool.addDataSourceProperty("cachePrepStmts", "true");
      pool.addDataSourceProperty("useServerPrepStmts", "true");
      pool.addDataSourceProperty("useLocalSessionState", "true");
    }

    @Override
    Storage storage() {
      return Storage.MYSQL;
    }

    @Override
    String describe() {
      return "select concat('MySQL ', @@version, ', innodb_flush_log_at_trx_commit ',"
          + " @@innodb_flush_log_at_trx_commit, ', log_bin ', @@log_bin,"
          + " ', sync_binlog ', @@sync_binlog)";
    }

    @Override
    List<String> tidy(List<String> tables) {
      return InnoDb.tidy(tables);
    }

    @Override
    void handleAll(String[] ids, Integer[] accounts, DSLContext tx) {
      InnoDb.handleAll(ids, accounts, tx);
    }
  },

  MARIADB("MariaDB") {
    @Override
    TestDatabase start() {
      return TestDatabase.onOwnMariaDb();
    }

    @Override
    StoreDialect store() {
      return new MySqlDialect();
    }

    @Override
    void tune(HikariConfig pool) {
      // The driver's defaults are right.
    }

    @Override
    Storage storage() {
      return Storage.MARIADB;
    }

    @Override
    String describe() {
      return "select concat('MariaDB ', @@version, ', innodb_flush_log_at_trx_commit ',"
          + " @@innodb_flush_log_at_trx_commit, ', log_bin ', @@log_bin)";
    }

    @Override
    List<String> tidy(List<String> tables) {
      return InnoDb.tidy(tables);
    }

    @Override
    void handleAll(String[] ids, Integer[] accounts, DSLContext tx) {
      InnoDb.handleAll(ids, accounts, tx);
    }
  };

  private final String title;

  Database(String title) {
    this.title = title;
  }

  /**
   * Finds a database.
   *
   * @throws IllegalArgumentException if there is none of this name, with all that there are
   */
  static Database named(String label) {
    return Arrays.stream(values())
        .filter(database -> database.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException("no database '" + label + "'; there are " + labels()));
  }

  private static String labels() {
    return Arrays.stream(values()).map(Database::label).collect(Collectors.joining(", "));
  }

  private String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what people call it. */
  String title() {
    return title;
  }

  /** Starts a server, in a process of its own, or finds one, and creates a database on it. */
  abstract TestDatabase start();

  abstract StoreDialect store();

  /** Sets of the driver what the demo sets too. */
  abstract void tune(HikariConfig pool);

  /** Returns how the inbox is filled, and asked about what it takes. */
  abstract Storage storage();

  /** Returns the query for its version, and whether a commit is on the disk. */
  abstract String describe();

  /** Returns what leaves no work for these tables for later. */
  abstract List<String> tidy(List<String> tables);

  /** Writes payments, each of an account, in one INSERT and one UPDATE. */
  abstract void handleAll(String[] ids, Integer[] accounts, DSLContext tx);

  /** What MySQL and MariaDB have in common. */
  private static final class InnoDb {
    static List<String> tidy(List<String> tables) {
      return List.of("analyze table " + String.join(", ", tables));
    }

    static void handleAll(String[] ids, Integer[] accounts, DSLContext tx) {
      String paid =
          Arrays.stream(ids).map("\"%s\""::formatted).collect(Collectors.joining(",", "[", "]"));
      String to =
          Arrays.stream(accounts).map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
      tx.execute(
          "insert into payment (id, account) select paid.id, credited.id"
              + " from json_table(?, '$[*]' columns (n for ordinality, id varchar(32) path '$')) as paid"
              + " join json_table(?, '$[*]' columns (n for ordinality, id int path '$')) as credited"
              + " on paid.n = credited.n",
          paid,
          to);
      tx.execute(
          "update account join (select id, count(*) as payments"
              + " from json_table(?, '$[*]' columns (id int path '$')) as ids group by id)"
              + " as credited on account.id = credited.id set balance = balance + credited.payments",
          to);
    }
  }
}
