package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import liquibase.Scope;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class MigrateIT {

  private final TestDatabase database = TestDatabase.create();

  @Test
  void makesASchemaThatVerifies() {
    Migrations.migrate(database.owner());

    Migrations.verify(database.owner());
    assertThat(database.tables("public")).isEqualTo(CurrentSchema.TABLES_AND_CHANGELOG);
    assertThat(database.query("SELECT version FROM inbox_schema")).containsExactly("1");
  }

  @Test
  void doesNothingTheSecondTime() {
    Migrations.migrate(database.owner());
    List<String> before = database.query("SELECT xmin || ' ' || id FROM inbox_changelog");

    Migrations.migrate(database.owner());

    assertThat(database.query("SELECT xmin || ' ' || id FROM inbox_changelog")).isEqualTo(before);
  }

  @Test
  void goesUpDownAndUpAgain() {
    Migrations migrations = Migrations.builder(database.owner()).build();
    migrations.migrate();
    Structure first = database.structure("public");
    database.execute(
        """
        INSERT INTO inbox_scope (created_at, consumer_group, scope) VALUES (1, 'g', 's');
        INSERT INTO inbox SELECT 1, 1, 1, 1, 0, 'key-' || n, 'id' FROM generate_series(1, 1000) n;
        """);

    migrations.rollback();
    assertThat(database.tables("public")).isEmpty();

    migrations.migrate();
    assertThat(database.structure("public")).hasToString(first.toString());
    assertThat(database.query("SELECT count(*) FROM inbox")).containsExactly("0");
    Migrations.verify(database.owner());
  }

  @Test
  void rollsBackWhatWasAppliedByHand() {
    database.execute(Release.CURRENT.plainSql(Vendor.POSTGRESQL));

    Migrations.builder(database.owner()).build().rollback();

    assertThat(database.tables("public")).isEmpty();
  }

  @Test
  void usesTheFirstSchemaOfTheSearchPathIfToldNone() {
    database.execute("CREATE SCHEMA app");
    PGSimpleDataSource dataSource = (PGSimpleDataSource) database.owner();
    dataSource.setCurrentSchema("absent,app,public");

    Migrations.migrate(dataSource);

    assertThat(database.tables("app")).isEqualTo(CurrentSchema.TABLES_AND_CHANGELOG);
    assertThat(database.tables("public")).isEmpty();
  }

  @Test
  void refusesASchemaThatDoesNotExist() {
    assertThatThrownBy(() -> Migrations.migrate(database.owner(), "absent"))
        .isInstanceOf(SchemaMissingException.class)
        .hasMessageContaining("no schema absent")
        .hasMessageContaining("CREATE SCHEMA \"absent\"");
  }

  @Test
  void givesTheConnectionBackAsItWas() throws SQLException {
    try (Connection connection = database.owner().getConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("CREATE SCHEMA app; SET search_path = app, public");
      }
      connection.commit();

      Migrations.migrate(new OneConnection(connection), "public");
      assertThatThrownBy(() -> Migrations.verify(new OneConnection(connection), "app"))
          .isInstanceOf(SchemaMismatchException.class);

      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(TestDatabase.query(new OneConnection(connection), "SHOW search_path"))
          .containsExactly("app, public");
    }
  }

  @Test
  void printsNothing() {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream recorder = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      System.setOut(recorder);
      System.setErr(recorder);
      Migrations.migrate(database.owner());
      Migrations.builder(database.owner()).build().rollback();
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    assertThat(
            printed
                .toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.contains("io.txbox"))
                .filter(line -> !line.contains("EmbeddedPostgres"))) // The server's own log.
        .isEmpty();
  }

  @Test
  void leavesLiquibasesScopeAsItWas() {
    Scope before = Scope.getCurrentScope();

    Migrations.migrate(database.owner());

    assertThat(Scope.getCurrentScope()).isSameAs(before);
  }

  @Test
  void livesBesideTheLiquibaseOfAnApplication() throws Exception {
    database.execute(
        """
        CREATE TABLE databasechangelog (id varchar(255), author varchar(255), filename varchar(255));
        INSERT INTO databasechangelog VALUES ('1-inbox', 'txbox', 'io/txbox/migrations/v1.xml');
        CREATE TABLE databasechangeloglock (id int PRIMARY KEY, locked boolean, lockgranted timestamp, lockedby varchar(255));
        INSERT INTO databasechangeloglock VALUES (1, TRUE, now(), 'the application');
        """);

    Migrations.migrate(database.owner());
    Migrations.builder(database.owner()).build().rollback();

    assertThat(database.query("SELECT lockedby FROM databasechangeloglock"))
        .containsExactly("the application");
    assertThat(database.query("SELECT id FROM databasechangelog")).containsExactly("1-inbox");
  }

  @Test
  void takesUpAMigrationThatWasKilledInTheMiddle() {
    Migrations.migrate(database.owner());
    Structure whole = database.structure("public");
    // As after a kill between a DDL statement that commits by itself and its entry in the
    // changelog.
    database.execute(
        """
        DROP TABLE inbox_parked;
        DELETE FROM inbox_schema;
        DELETE FROM inbox_changelog WHERE id IN ('1-inbox', '1-inbox-parked', '1-version');
        """);

    Migrations.migrate(database.owner());

    assertThat(database.structure("public")).hasToString(whole.toString());
    assertThat(database.query("SELECT id FROM inbox_changelog ORDER BY id"))
        .isEqualTo(CurrentSchema.CHANGESETS);
  }

  @Test
  void takesUpWhatWasAppliedHalfByHand() {
    String sql = Release.CURRENT.plainSql(Vendor.POSTGRESQL);
    database.execute(sql.substring(0, sql.indexOf("-- 1-inbox-parked")));

    Migrations.migrate(database.owner());

    Migrations.verify(database.owner());
  }

  @Test
  void saysThatTheRoleMayNotCreateTables() {
    String role = database.role();

    assertThatThrownBy(() -> Migrations.migrate(database.as(role)))
        .isInstanceOfSatisfying(
            MissingRightsException.class, e -> assertThat(e.role()).isEqualTo(role))
        .hasMessageContaining("may not create and change tables in the schema public");
    assertThat(database.tables("public")).isEmpty();
  }

  @Test
  void saysSoTooIfTheRoleMayCreateButDoesNotOwnTheTables() {
    Migrations.migrate(database.owner());
    String role = database.role();
    database.execute(
        """
        DELETE FROM inbox_schema;
        DELETE FROM inbox_changelog WHERE id = '1-version';
        GRANT CREATE ON SCHEMA public TO %s;
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO %s;
        """
            .formatted(role, role));

    assertThatThrownBy(() -> Migrations.migrate(database.as(role)))
        .isInstanceOf(MissingRightsException.class)
        .hasCauseInstanceOf(SQLException.class);
  }

  @Test
  void needsNoRightsIfThereIsNothingToDo() {
    Migrations.migrate(database.owner());
    String role = database.role();
    database.execute("GRANT SELECT ON inbox_schema TO " + role);

    assertThatCode(() -> Migrations.migrate(database.as(role))).doesNotThrowAnyException();
  }

  @Test
  void doesNotTouchASchemaFromTheFuture() {
    Migrations.migrate(database.owner());
    database.execute("INSERT INTO inbox_schema VALUES (2), (3); DROP TABLE inbox_parked");

    assertThatThrownBy(() -> Migrations.migrate(database.owner()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("version is 3, this library runs on 1 and 2")
        .hasMessageContaining("newer version of the library");
    assertThatThrownBy(() -> Migrations.builder(database.owner()).build().rollback())
        .isInstanceOf(SchemaMismatchException.class);
    assertThat(database.tables("public")).contains("inbox").doesNotContain("inbox_parked");
  }

  @Test
  void doesNotRollBackWhatANewerVersionHasMade() {
    Migrations.migrate(database.owner());
    database.execute("INSERT INTO inbox_schema VALUES (2)");

    assertThatThrownBy(() -> Migrations.builder(database.owner()).build().rollback())
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("version is 2, this library can take back 1");
    assertThat(database.tables("public")).isEqualTo(CurrentSchema.TABLES_AND_CHANGELOG);
  }

  @Test
  void doesNotPretendToMendWhatWasChangedByHand() {
    Migrations.migrate(database.owner());
    database.execute("ALTER TABLE inbox DROP COLUMN body_fingerprint");

    assertThatThrownBy(() -> Migrations.migrate(database.owner()))
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("column body_fingerprint is missing, it should be bigint NOT NULL")
        .hasMessageContaining("changed after the migration");
  }
}
