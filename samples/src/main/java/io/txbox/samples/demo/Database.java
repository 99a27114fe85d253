package io.txbox.samples.demo;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.mysql.MySqlDialect;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.database.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The databases, and all that differs between them. */
enum Database {
  POSTGRES("PostgreSQL", SQLDialect.POSTGRES, "a PostgreSQL, each in a process of its own") {
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
    String nameSession(String instance) {
      return "set application_name = '%s'".formatted(instance);
    }

    @Override
    List<String> openTransactions() {
      return List.of(
          "select application_name, wait_event_type is not distinct from 'Lock'"
              + " from pg_stat_activity where datname = current_database()"
              + " and xact_start is not null and backend_xid is not null");
    }

    @Override
    List<String> afterUpdate(String table, String sql) {
      return List.of(
          """
          create function after_%s() returns trigger language plpgsql as $$
          begin
            %s;
            return null;
          end $$
          """
              .formatted(table, sql),
          "create trigger after_%1$s after update on %1$s for each row execute function after_%1$s()"
              .formatted(table));
    }

    @Override
    String durability() {
      return "select 'PostgreSQL ' || current_setting('server_version') || ' has fsync '"
          + " || current_setting('fsync') || ' and synchronous_commit '"
          + " || current_setting('synchronous_commit')";
    }
  },

  MYSQL(
      "MySQL",
      SQLDialect.MYSQL,
      "creates a database on the MySQL of TXBOX_MYSQL_URL, or else on one in a container") {
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
    String nameSession(String instance) {
      return InnoDb.nameSession(instance);
    }

    /** {@inheritDoc} Before a transaction writes to a table, it locks that as a whole with IX. */
    @Override
    List<String> openTransactions() {
      return List.of(
          "select instance, max(lock_status = 'WAITING') from performance_schema.data_locks"
              + " join performance_schema.threads using (thread_id)"
              + " join instance_session on session = processlist_id"
              + " where object_schema = database() group by thread_id, instance"
              + " having max(lock_mode = 'IX') = 1");
    }

    @Override
    List<String> afterUpdate(String table, String sql) {
      return InnoDb.afterUpdate(table, sql);
    }

    @Override
    String durability() {
      return "select concat('MySQL ', @@version, ' has innodb_flush_log_at_trx_commit ',"
          + " @@innodb_flush_log_at_trx_commit, ', log_bin ', @@log_bin,"
          + " ' and sync_binlog ', @@sync_binlog)";
    }
  },

  MARIADB("MariaDB", SQLDialect.MARIADB, "a MariaDB, each in a process of its own") {
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
    String nameSession(String instance) {
      return InnoDb.nameSession(instance);
    }

    /** {@inheritDoc} The server repeats what it has said, unless nobody has asked for 0.1 s. */
    @Override
    List<String> openTransactions() {
      return List.of(
          "do sleep(0.15)",
          "select instance, trx_state = 'LOCK WAIT' from information_schema.innodb_trx"
              + " join instance_session on session = trx_mysql_thread_id"
              + " where trx_lock_structs > 0");
    }

    @Override
    List<String> afterUpdate(String table, String sql) {
      return InnoDb.afterUpdate(table, sql);
    }

    @Override
    String durability() {
      return "select concat('MariaDB ', @@version, ' has innodb_flush_log_at_trx_commit ',"
          + " @@innodb_flush_log_at_trx_commit, ' and log_bin ', @@log_bin)";
    }
  };

  private final String title;
  private final SQLDialect dialect;
  private final String start;

  Database(String title, SQLDialect dialect, String start) {
    this.title = title;
    this.dialect = dialect;
    this.start = start;
  }

  /**
   * Returns the database of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Database named(String option) {
    return Arrays.stream(values())
        .filter(database -> database.name().toLowerCase(Locale.ROOT).equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be 'postgres', 'mysql' or 'mariadb', but was '" + option + "'"));
  }

  /** Returns what people call it. */
  String title() {
    return title;
  }

  /** Returns how it starts, after "Starts a RocketMQ broker and". */
  String howItStarts() {
    return start;
  }

  DSLContext dsl(DataSource pool) {
    return DSL.using(pool, dialect);
  }

  /** Asks the server which of its settings a crash would put to the test. */
  String durability(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(durability())) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Starts a server, in a process of its own, or finds one, and creates a database on it. */
  abstract TestDatabase start();

  abstract StoreDialect store();

  /** Sets of the driver what makes it fast. */
  abstract void tune(HikariConfig pool);

  /** Returns what a session says first, so that the server can tell whose transactions are open. */
  abstract String nameSession(String instance);

  /**
   * Returns statements of which the last one lists the open transactions that write: whose they
   * are, and whether they wait for a lock.
   */
  abstract List<String> openTransactions();

  /** Returns the statements that have this one run for each row that was updated. */
  abstract List<String> afterUpdate(String table, String sql);

  abstract String durability();

  /** What MySQL and MariaDB have in common. */
  private static final class InnoDb {
    static String nameSession(String instance) {
      return "insert into instance_session values (connection_id(), '%s')".formatted(instance);
    }

    static List<String> afterUpdate(String table, String sql) {
      return List.of(
          "create trigger after_%1$s after update on %1$s for each row %2$s".formatted(table, sql));
    }
  }
}
