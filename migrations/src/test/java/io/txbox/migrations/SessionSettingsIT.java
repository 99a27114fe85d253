package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
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
        "search_path = ''",
        "search_path = pg_temp, elsewhere",
        "statement_timeout = '20s'",
        "lock_timeout = '5s'",
        "idle_in_transaction_session_timeout = '10s'",
        "standard_conforming_strings = off",
        "quote_all_identifiers = on",
        "timezone = 'Asia/Kolkata'",
        "datestyle = 'German'"
      })
  void fiveAtOnceSucceedUnder(String setting) throws Exception {
    database.execute("CREATE SCHEMA app; CREATE SCHEMA elsewhere");
    String role = owner("app");
    database.execute("GRANT ALL ON SCHEMA elsewhere TO " + role);
    database.execute("ALTER ROLE " + role + " SET " + setting);
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();

    RivalThreadsIT.atOnce(Collections.nCopies(5, migrations::migrate));
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
        .satisfies(e -> database.execute(inParentheses(e.toString())));
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
      assertThat(database.tables("app")).isEqualTo(CurrentSchema.TABLES_AND_CHANGELOG);
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

  private String owner(String schema) {
    String role = database.role();
    database.execute("ALTER SCHEMA %s OWNER TO %s".formatted(schema, role));
    return role;
  }

  private static String inParentheses(String message) {
    return message.substring(message.indexOf('(') + 1, message.indexOf(')'));
  }
}
