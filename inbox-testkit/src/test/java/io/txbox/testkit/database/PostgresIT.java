package io.txbox.testkit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.testkit.LeakCheck;
import io.txbox.testkit.network.TcpProxy;
import io.txbox.testkit.network.TcpProxy.Strike;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresIT {

  @RegisterExtension
  static final DatabaseExtension extension = DatabaseExtension.postgres().schema(PostgresIT::setUp);

  private static final byte[] COMMIT = "COMMIT".getBytes(StandardCharsets.US_ASCII);

  private final TestDatabase database = extension.database();

  private static void setUp(DataSource dataSource) {
    DSL.using(dataSource, SQLDialect.POSTGRES).execute("CREATE TABLE t (id int PRIMARY KEY)");
  }

  @AfterEach
  void leavesNothingBorrowed() {
    LeakCheck.create().finder(database::borrowed).verify();
  }

  @Test
  void isDurable() {
    for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
      assertThat(show(setting)).as(setting).isEqualTo("on");
    }
    assertThat(Integer.parseInt(show("max_connections"))).isGreaterThanOrEqualTo(200);
    assertThat(show("server_version")).startsWith("17");
  }

  @Test
  void listensOnLoopbackOnly() {
    assertThat(database.host()).isEqualTo("127.0.0.1");
    assertThat(show("listen_addresses")).isEqualTo("127.0.0.1");
  }

  @Test
  void hasItsSchemaAndASessionTimeZoneThatIsNotTheJvms() {
    assertThat(database.dsl().fetchCount(DSL.table("t"))).isZero();
    String zone = show("TimeZone");
    OffsetDateTime now = OffsetDateTime.now(ZoneId.of(zone));
    assertThat(now.getOffset())
        .isNotEqualTo(ZoneId.systemDefault().getRules().getOffset(now.toInstant()));
  }

  @Test
  void givesFurtherPoolsAsTheyAreWanted() {
    try (HikariDataSource pool =
        database.dataSource(
            config -> {
              config.setMaximumPoolSize(1);
              config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
              config.addDataSourceProperty("ApplicationName", "mine");
            })) {
      assertThat(database.dsl(pool).fetchSingle("SHOW transaction_isolation").get(0))
          .isEqualTo("serializable");
      assertThat(database.dsl(pool).fetchSingle("SHOW application_name").get(0)).isEqualTo("mine");
    }
  }

  @Test
  void tellsWhatABorrowedConnectionDid() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      connection.createStatement().execute("SELECT 'a leak'");
      LeakCheck check =
          LeakCheck.create().finder(database::borrowed).patience(Duration.ofMillis(100));
      assertThatThrownBy(check::verify)
          .hasMessageContaining("1 connections not given back")
          .hasMessageContaining("idle in transaction: SELECT 'a leak'");
      connection.rollback();
    }
  }

  @Test
  void proxyLosesTheReplyToACommitThatHappened() throws SQLException {
    try (TcpProxy proxy = TcpProxy.to(database.host(), database.port());
        HikariDataSource pool =
            database.dataSource(
                config -> config.setJdbcUrl(database.jdbcUrl(proxy.host(), proxy.port())))) {
      CompletableFuture<Void> struck = proxy.onClientBytes(COMMIT, Strike.LOSE_REPLY);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        connection.createStatement().execute("INSERT INTO t VALUES (1)");
        assertThatThrownBy(connection::commit)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
      }
      assertThat(struck).isCompleted();
    }
    assertThat(database.dsl().fetchCount(DSL.table("t"))).isEqualTo(1);
    database.dsl().execute("DELETE FROM t");
  }

  @Test
  void proxyLosesACommitThatDidNotHappen() throws SQLException {
    try (TcpProxy proxy = TcpProxy.to(database.host(), database.port());
        HikariDataSource pool =
            database.dataSource(
                config -> config.setJdbcUrl(database.jdbcUrl(proxy.host(), proxy.port())))) {
      CompletableFuture<Void> struck = proxy.onClientBytes(COMMIT, Strike.LOSE_REQUEST);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        connection.createStatement().execute("INSERT INTO t VALUES (1)");
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
      }
      assertThat(struck).isCompleted();
    }
    assertThat(database.dsl().fetchCount(DSL.table("t"))).isZero();
  }

  @Test
  void usesTheServerThatTheEnvironmentNames() {
    String url = database.jdbcUrl() + "?user=" + database.user() + "&password=unused";
    TestDatabase other;
    try (PostgresServer server = PostgresServer.start(Map.of(PostgresServer.URL, url))) {
      other = TestDatabase.create(server, "elsewhere");
      try (other) {
        assertThat(other.port()).isEqualTo(database.port());
        assertThat(other.dsl().fetchSingle("SELECT current_database()").get(0))
            .isEqualTo("elsewhere");
      }
    }
    assertThat(
            database
                .dsl()
                .fetchExists(DSL.select().from("pg_database").where("datname = 'elsewhere'")))
        .isFalse();
  }

  @Test
  void refusesAnEnvironmentThatItDoesNotUnderstand() {
    assertThatThrownBy(() -> PostgresServer.start(Map.of(PostgresServer.KIND, "magic")))
        .hasMessageContaining("magic");
    assertThatThrownBy(() -> PostgresServer.start(Map.of(PostgresServer.URL, "jdbc:mysql://x/y")))
        .hasMessageContaining("jdbc:mysql://x/y");
  }

  @Nested
  class InANestedClass {
    @Test
    void theDatabaseIsTheSame() {
      assertThat(extension.database()).isSameAs(database);
      assertThatCode(() -> database.dsl().fetch("TABLE t")).doesNotThrowAnyException();
    }
  }

  private String show(String setting) {
    return database.dsl().fetchSingle("SHOW " + setting).get(0, String.class);
  }
}
