package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What roles, databases and pools are set to where migrations really run. */
class SessionSettingsIT {

  private final TestDatabase database = TestDatabase.create();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "default_transaction_isolation = 'serializable'",
        "default_transaction_isolation = 'repeatable read'",
        "search_path = ''",
        "search_path = elsewhere, public",
        "search_path = pg_temp, elsewhere",
        "statement_timeout = '5s'",
        "lock_timeout = '1s'",
        "idle_in_transaction_session_timeout = '2s'",
        "standard_conforming_strings = off",
        "quote_all_identifiers = on",
        "client_min_messages = error",
        "default_tablespace = pg_default",
        "row_security = off",
        "timezone = 'Asia/Kolkata'",
        "datestyle = 'German'",
        "synchronous_commit = off",
        "check_function_bodies = off",
        "escape_string_warning = off",
      })
  void fiveAtOnceSucceedUnder(String setting) throws Exception {
    database.execute("CREATE SCHEMA app; CREATE SCHEMA elsewhere");
    String role = owner("app");
    database.execute("GRANT ALL ON SCHEMA elsewhere TO " + role);
    database.execute("ALTER ROLE " + role + " SET " + setting);
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();

    atOnce(migrations::migrate);
    migrations.verify();
    assertThat(database.tables("elsewhere")).isEmpty();
    assertThat(database.tables("public")).isEmpty();

    migrations.rollback();
    assertThat(database.tables("app")).isEmpty();
  }

  @Test
  void aReadOnlySessionIsToldToConnectToThePrimary() {
    database.execute("CREATE SCHEMA app");
    String role = owner("app");
    database.execute("ALTER ROLE " + role + " SET default_transaction_read_only = on");
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();

    assertThatThrownBy(migrations::migrate)
        .isInstanceOf(MigrationFailedException.class)
        .hasMessageContaining("session is read-only")
        .hasMessageContaining("default_transaction_read_only");

    Migrations.migrate(database.owner(), "app");
    database.execute("GRANT SELECT ON app.inbox_schema TO " + role);
    migrations.migrate();
    migrations.verify();
  }

  @Test
  void aRoleWhoseNameMustBeQuotedOwnsTheTables() {
    database.execute("CREATE SCHEMA app");
    String role = "Die \"App\"-" + database.role();
    String quoted = Vendor.POSTGRESQL.quoted(role);
    database.execute("CREATE ROLE " + quoted + " LOGIN; GRANT USAGE ON SCHEMA app TO " + quoted);
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();

    assertThatThrownBy(migrations::migrate)
        .isInstanceOf(MissingRightsException.class)
        .satisfies(e -> database.execute(inParentheses(e.getMessage())));
    migrations.migrate();

    migrations.verify();
    assertThat(database.query("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'app'"))
        .containsExactly(role);
  }

  @Test
  void verifyNamesTheGrantsThatItNeeds() {
    database.execute("CREATE SCHEMA \"My App\"");
    Migrations.migrate(database.owner(), "My App");
    String role = database.role();
    Migrations migrations = Migrations.builder(database.as(role)).schema("My App").build();

    assertThatThrownBy(migrations::verify)
        .isInstanceOfSatisfying(
            SchemaMismatchException.class,
            e -> database.execute(inParentheses(e.differences().get(0))));

    migrations.verify();
  }

  @Test
  void defaultPrivilegesThatTakeRightsAwayDoNotStopTheOwner() {
    database.execute("CREATE SCHEMA app");
    String role = owner("app");
    String service = database.role();
    database.execute(
        """
        ALTER DEFAULT PRIVILEGES FOR ROLE %s REVOKE ALL ON TABLES FROM PUBLIC;
        ALTER DEFAULT PRIVILEGES FOR ROLE %s IN SCHEMA app GRANT ALL ON TABLES TO %s;
        """
            .formatted(role, role, service));

    Migrations.migrate(database.as(role), "app");

    Migrations.verify(database.as(role), "app");
  }

  @Test
  void aTableOfTheSessionsOwnHidesNothing() throws SQLException {
    database.execute("CREATE SCHEMA app");
    try (Connection connection = database.owner().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TEMP TABLE inbox_schema (version int); CREATE TEMP TABLE inbox_changelog_lock (id int);"
              + " CREATE TEMP TABLE inbox (id int); CREATE TEMP TABLE inbox_changelog (id int)");
      Migrations migrations =
          Migrations.builder(new OneConnection(connection)).schema("app").build();

      migrations.migrate();
      migrations.verify();
      migrations.rollback();
    }
    assertThat(database.tables("app")).isEmpty();
  }

  @Test
  void aPoolerInTransactionModeMayChangeTheSessionAtEachTransaction() throws Exception {
    database.execute("CREATE SCHEMA app; CREATE SCHEMA elsewhere");
    Migrations.migrate(database.owner(), "elsewhere");
    List<String> rows = database.query("SELECT xmin || id FROM elsewhere.inbox_changelog");
    try (TransactionPool pool = new TransactionPool(database, 3)) {
      pool.set("SET search_path = elsewhere");
      Migrations migrations = Migrations.builder(pool.dataSource()).schema("app").build();

      migrations.migrate();
      migrations.verify();
      assertThat(database.tables("app")).hasSize(6);
      migrations.rollback();

      for (Connection session : pool.sessions()) {
        assertThat(TestDatabase.query(new OneConnection(session), "SHOW search_path"))
            .as("the next one's")
            .containsExactly("elsewhere");
      }
    }
    assertThat(database.tables("app")).isEmpty();
    assertThat(database.query("SELECT xmin || id FROM elsewhere.inbox_changelog")).isEqualTo(rows);
    Migrations.verify(database.owner(), "elsewhere");
  }

  @Test
  void aTimeoutInTheMiddleLeavesTheLockFree() {
    database.execute("CREATE SCHEMA app");
    String role = owner("app");
    database.execute("ALTER ROLE " + role + " SET statement_timeout = '1s'");
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();
    try (Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_parked")) {
      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(MigrationFailedException.class)
          .hasMessageContaining("statement timeout");
    }
    assertThat(migrations.status().lock()).isEmpty();

    migrations.migrate();
    migrations.verify();
  }

  @Test
  void aRowThatAnotherSessionHasLockedIsWaitedForWithinBounds() throws SQLException {
    Migrations migrations =
        Migrations.builder(database.owner()).lockWait(Duration.ofSeconds(1)).build();
    try (Session session = database.session("public")) {
      ChangelogLock lock = new ChangelogLock(session);
      lock.acquire(Duration.ZERO);
      lock.release();
    }
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT * FROM inbox_changelog_lock FOR UPDATE");

      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(MigrationFailedException.class)
          .hasMessageContaining("nobody holds it")
          .hasMessageContaining("pg_stat_activity");
    }
    migrations.migrate();
  }

  @ParameterizedTest
  @ValueSource(strings = {"inbox_schema", "inbox_changelog_lock", "inbox_changelog"})
  void aTableThatAnotherSessionHasLockedIsWaitedForWithinBounds(String table) throws SQLException {
    Migrations migrations =
        Migrations.builder(database.owner()).lockWait(Duration.ofSeconds(1)).build();
    migrations.migrate();
    // Else there would be nothing to do, and no reason to read more than the version.
    database.execute(
        "DELETE FROM inbox_schema; DELETE FROM inbox_changelog WHERE id = '1-version'");
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");

      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(MigrationFailedException.class)
          .hasMessageContaining("pg_stat_activity");
    }
    migrations.migrate();
    migrations.verify();
  }

  @Test
  void aLockedInboxDoesNotHinderTheCheck() throws SQLException {
    Migrations.migrate(database.owner());
    try (Connection other = database.owner().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE inbox, inbox_scope, inbox_parked IN ACCESS EXCLUSIVE MODE");

      Migrations.verify(database.owner());
    }
  }

  @Test
  void rivalsOfARollbackEachGetAWholeSchemaOrNone() throws Exception {
    Migrations migrations = Migrations.builder(database.owner()).build();
    for (int round = 0; round < 10; round++) {
      migrations.migrate();
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Future<?>> running = new ArrayList<>();
        running.add(threads.submit(() -> migrations.rollback()));
        for (int i = 0; i < 3; i++) {
          running.add(threads.submit(() -> migrations.migrate()));
        }
        for (Future<?> one : running) {
          one.get(60, TimeUnit.SECONDS);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(database.tables("public").size()).isIn(0, 6);
    }
  }

  private String owner(String schema) {
    String role = database.role();
    database.execute("ALTER SCHEMA %s OWNER TO %s".formatted(schema, role));
    return role;
  }

  private static String inParentheses(String message) {
    return message.substring(message.indexOf('(') + 1, message.indexOf(')'));
  }

  private static void atOnce(Runnable work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(5);
    try {
      List<Callable<Object>> five =
          Stream.generate(() -> Executors.callable(work)).limit(5).toList();
      for (Future<Object> one : threads.invokeAll(five, 60, TimeUnit.SECONDS)) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
