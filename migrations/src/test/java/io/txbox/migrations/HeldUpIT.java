package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that wait for another session: for how long, and what is left. */
class HeldUpIT {

  private final TestDatabase database = TestDatabase.create();

  @Test
  void aTimeoutInTheMiddleLeavesTheLockFree() {
    database.execute("CREATE SCHEMA app");
    String role = database.role();
    database.execute("ALTER SCHEMA app OWNER TO " + role);
    database.execute("ALTER ROLE " + role + " SET statement_timeout = '3s'");
    Migrations migrations = Migrations.builder(database.as(role)).schema("app").build();
    Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_parked");
    try {
      assertThatThrownBy(migrations::migrate)
          .isInstanceOf(MigrationFailedException.class)
          .hasMessageContaining("statement timeout");
    } finally {
      gate.close();
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
  @ValueSource(strings = {"inbox_schema", "inbox_changelog"})
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
}
