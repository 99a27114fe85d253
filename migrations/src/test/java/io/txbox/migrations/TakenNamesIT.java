package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A name of ours that somebody else has given to something: nothing is changed, and it is named.
 */
class TakenNamesIT {

  private final TestDatabase database = TestDatabase.create();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE %s (a text)",
        "CREATE TABLE %s (a text) PARTITION BY LIST (a)",
        "CREATE VIEW %s AS SELECT 1 AS id",
        "CREATE MATERIALIZED VIEW %s AS SELECT 1 AS id",
        "CREATE FOREIGN TABLE %s (a text) SERVER elsewhere",
        "CREATE SEQUENCE %s",
        "CREATE INDEX %s ON theirs (a)",
        "CREATE TYPE %s AS (a text)",
        "CREATE TYPE %s AS ENUM ('a')",
        "CREATE DOMAIN %s AS text",
      })
  void namesWhatHasTheNameOfATable(String ddl) {
    for (String name : CurrentSchema.TABLES_AND_CHANGELOG) {
      assertTaken(name, ddl.formatted(name));
    }
  }

  static Stream<String> indexes() {
    return Stream.of(
        "inbox_pkey",
        "inbox_state_scope_id_processed_at_idx",
        "inbox_queue_pkey",
        "inbox_clock_pkey",
        "inbox_lease_pkey",
        "inbox_scope_pkey",
        "inbox_scope_consumer_group_scope_key",
        "inbox_parked_pkey",
        "inbox_parked_dedup_key_scope_id_idx",
        "inbox_parked_ordering_key_scope_id_idx",
        "inbox_schema_pkey",
        "inbox_changelog_lock_pkey");
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void namesWhatHasTheNameOfAnIndex(String name) {
    assertTaken(name, "CREATE INDEX %s ON theirs (a)".formatted(name));
    assertTaken(name, "CREATE TABLE %s (a text)".formatted(name));
  }

  @Test
  void namesTheChangelogOfAnotherApplication() {
    // What looks like Liquibase's table, but is used by another application.
    assertTaken(
        "inbox_changelog",
        """
        CREATE TABLE inbox_changelog (id varchar(255), author varchar(255), filename varchar(255), dateexecuted timestamp,
          orderexecuted int, exectype varchar(10), md5sum varchar(35), description varchar(255), comments varchar(255),
          tag varchar(255), liquibase varchar(20), contexts varchar(255), labels varchar(255), deployment_id varchar(10));
        INSERT INTO inbox_changelog (id, filename) VALUES ('1', 'db/mail.xml')
        """);
  }

  @Test
  void changesNothingIfATableNameIsTaken() {
    database.execute(
        "CREATE TABLE inbox (id bigint PRIMARY KEY, mail text); INSERT INTO inbox VALUES (1, 'hello')");

    for (var attempt :
        Stream.<Runnable>of(
                () -> Migrations.migrate(database.owner()),
                () -> Migrations.builder(database.owner()).build().rollback())
            .toList()) {
      assertThatThrownBy(attempt::run)
          .isInstanceOfSatisfying(
              TableTakenException.class, e -> assertThat(e.table()).isEqualTo("inbox"))
          .hasMessageContaining("something named inbox that is not txbox's")
          .hasMessageContaining("column dedup_key is missing")
          .hasMessageContaining("CREATE SCHEMA txbox");
    }

    assertThat(database.tables("public")).containsExactly("inbox");
    assertThat(database.query("SELECT mail FROM inbox")).containsExactly("hello");
    database.execute("CREATE SCHEMA txbox");
    assertThatCode(() -> Migrations.migrate(database.owner(), "txbox")).doesNotThrowAnyException();
  }

  private void assertTaken(String name, String ddl) {
    String schema = "s" + System.nanoTime();
    database.execute("CREATE EXTENSION IF NOT EXISTS postgres_fdw");
    database.execute(
        "DROP SERVER IF EXISTS elsewhere CASCADE; CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw");
    database.execute(
        "CREATE SCHEMA %s; SET search_path = %s; CREATE TABLE theirs (a text); %s"
            .formatted(schema, schema, ddl));
    String before = everythingIn(schema);
    Migrations migrations = Migrations.builder(database.owner()).schema(schema).build();

    for (Runnable attempt : List.<Runnable>of(migrations::migrate, migrations::rollback)) {
      assertThatThrownBy(attempt::run)
          .as(ddl)
          .isInstanceOfSatisfying(
              TableTakenException.class, e -> assertThat(e.table()).isEqualTo(name))
          .hasMessageContaining("something named " + name + " that is not txbox's")
          .hasMessageContaining("Nothing was changed")
          .hasMessageContaining("CREATE SCHEMA txbox");
    }
    assertThat(everythingIn(schema)).as(ddl).isEqualTo(before);
  }

  private String everythingIn(String schema) {
    return String.join(
        "\n",
        database.query(
            """
            SELECT relkind::text || ' ' || relname || ' ' || oid FROM pg_class WHERE relnamespace = '%1$s'::regnamespace
            UNION ALL SELECT 't ' || typname || ' ' || oid FROM pg_type WHERE typnamespace = '%1$s'::regnamespace ORDER BY 1
            """
                .formatted(schema)));
  }
}
