package io.txbox.testkit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.testkit.LeakCheck;
import io.txbox.testkit.database.MySqlServer.Product;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What tests rely on, on either product. */
abstract class MySqlServerTests {

  abstract TestDatabase database();

  private MySqlServer server() {
    Product product = Product.valueOf(database().dialect().name());
    return MySqlServer.at(
        product,
        "%s?user=%s&password=%s"
            .formatted(
                database().jdbcUrl().replaceFirst("/[^/]*$", "/"),
                database().user(),
                database().password()));
  }

  @AfterEach
  void leavesNothingBorrowed() {
    LeakCheck.create().finder(database()::borrowed).verify();
  }

  @Test
  void isDurable() {
    assertThat(setting("innodb_flush_log_at_trx_commit")).isEqualTo("1");
    assertThat(setting("innodb_doublewrite")).isEqualTo("ON");
    assertThat(Integer.parseInt(setting("max_connections"))).isGreaterThanOrEqualTo(200);
  }

  private String setting(String name) {
    return database().dsl().fetchSingle("SHOW VARIABLES LIKE '" + name + "'").get(1, String.class);
  }

  @Test
  void hasASessionTimeZoneThatIsNotTheJvms() {
    assertThat(database().dsl().fetchSingle("SELECT @@time_zone").get(0, String.class))
        .matches("[-+]\\d\\d:\\d\\d")
        .isNotEqualTo(OffsetDateTime.now(ZoneId.systemDefault()).getOffset().toString());
  }

  @Test
  void tellsWhatABorrowedConnectionDoes() throws SQLException {
    database().dsl().execute("CREATE TABLE t (id int PRIMARY KEY)");
    try (Connection connection = database().dataSource().getConnection()) {
      connection.setAutoCommit(false);
      DSL.using(connection, database().dialect()).execute("INSERT INTO t VALUES (1)");
      LeakCheck check =
          LeakCheck.create().finder(database()::borrowed).patience(Duration.ofMillis(300));
      assertThatThrownBy(check::verify)
          .hasMessageContaining("1 connections not given back")
          .hasMessageContaining("idle in transaction");
      connection.rollback();
    }
  }

  @Test
  void dropsADatabaseThoughATransactionIsOpenInIt() throws SQLException {
    TestDatabase other = TestDatabase.create(server(), database().name() + "_2");
    Connection open = DriverManager.getConnection(other.jdbcUrl(), other.user(), other.password());
    open.setAutoCommit(false);
    open.createStatement().execute("CREATE TABLE t (id int PRIMARY KEY)");
    open.createStatement().execute("INSERT INTO t VALUES (1)");

    server().drop(other.name());

    assertThat(database().dsl().fetch("SHOW DATABASES LIKE '" + other.name() + "'")).isEmpty();
    open.abort(Runnable::run); // It was killed, which a plain close would say.
    other.close();
  }
}
