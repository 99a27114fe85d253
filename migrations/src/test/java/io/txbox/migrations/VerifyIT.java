package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyIT {

  private final TestDatabase database = TestDatabase.create();

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.owner());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DROP TABLE inbox_parked                                | table inbox_parked is missing
          ALTER TABLE inbox DROP COLUMN message_time             | table inbox: column message_time is missing, it should be bigint NOT NULL
          ALTER TABLE inbox ALTER message_time TYPE numeric      | table inbox: column message_time is numeric NOT NULL, it should be bigint NOT NULL
          ALTER TABLE inbox ALTER message_time DROP NOT NULL     | table inbox: column message_time is bigint NULL, it should be bigint NOT NULL
          ALTER TABLE inbox_parked ALTER body SET NOT NULL       | table inbox_parked: column body is bytea NOT NULL, it should be bytea NULL
          ALTER TABLE inbox ALTER dedup_key TYPE text COLLATE "en-x-icu"             | table inbox: column dedup_key is text COLLATE "en-x-icu" NOT NULL, it should be text COLLATE "C" NOT NULL
          ALTER TABLE inbox ALTER dedup_key TYPE varchar(50) COLLATE "C"             | table inbox: column dedup_key is character varying(50) COLLATE "C" NOT NULL, it should be text COLLATE "C" NOT NULL
          ALTER TABLE inbox DROP CONSTRAINT inbox_pkey                               | table inbox: primary key is missing, it should be (scope_id, dedup_key)
          ALTER TABLE inbox DROP CONSTRAINT inbox_pkey, ADD PRIMARY KEY (dedup_key)  | table inbox: primary key is (dedup_key), it should be (scope_id, dedup_key)
          ALTER TABLE inbox_scope DROP CONSTRAINT inbox_scope_consumer_group_scope_key | table inbox_scope: unique key (consumer_group, scope) is missing
          ALTER TABLE inbox_scope ALTER id DROP IDENTITY         | table inbox_scope: column id is smallint NOT NULL, it should be smallint IDENTITY NOT NULL
          DROP INDEX inbox_parked_dedup_key_scope_id_idx         | table inbox_parked: index (dedup_key, scope_id) is missing
          ALTER TABLE inbox DROP CONSTRAINT inbox_state_check    | table inbox: check inbox_state_check is missing
          ALTER TABLE inbox ADD tenant text NOT NULL             | table inbox: column tenant is not txbox's, and every insert would fail, since it is text COLLATE "default" NOT NULL without a default
          DELETE FROM inbox_schema                               | table inbox_schema: it holds no version, so that the last changeset, 1-version, has not run
          UPDATE inbox_schema SET version = 3                    | the schema's version is 3, this library runs on 1 and 2
          """)
  void saysWhatDiffers(String change, String difference) {
    database.execute(change);

    SchemaMismatchException thrown =
        catchThrowableOfType(
            SchemaMismatchException.class, () -> Migrations.verify(database.owner()));

    assertThat(thrown.differences()).containsExactly(difference);
    assertThat(thrown).hasMessageContaining(difference);
    assertThat(thrown.schema()).isEqualTo("public");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ALTER TABLE inbox ADD tenant text
          ALTER TABLE inbox ADD tenant text NOT NULL DEFAULT 'none'
          ALTER TABLE inbox ADD number bigint GENERATED ALWAYS AS IDENTITY
          CREATE INDEX ON inbox (processed_at)
          ALTER TABLE inbox ALTER state SET DEFAULT 0
          DROP TABLE inbox_changelog, inbox_changelog_lock
          INSERT INTO inbox_schema VALUES (2)
          INSERT INTO inbox_schema VALUES (2); ALTER TABLE inbox ALTER state TYPE integer, DROP CONSTRAINT inbox_state_check
          """)
  void toleratesWhatDoesNoHarm(String change) {
    database.execute(change);

    assertThatCode(() -> Migrations.verify(database.owner())).doesNotThrowAnyException();
  }

  @Test
  void namesEveryDifferenceOfAnEmptySchemaAndTheCommandThatMendsIt() {
    database.execute("CREATE SCHEMA fresh");

    assertThatThrownBy(() -> Migrations.verify(database.owner(), "fresh"))
        .isInstanceOfSatisfying(
            SchemaMismatchException.class,
            e ->
                assertThat(e.differences())
                    .containsExactly(
                        "table inbox is missing",
                        "table inbox_clock is missing",
                        "table inbox_lease is missing",
                        "table inbox_parked is missing",
                        "table inbox_queue is missing",
                        "table inbox_schema is missing",
                        "table inbox_scope is missing"))
        .hasMessageContaining("java -jar inbox-migrations-")
        .hasMessageContaining("-cli.jar migrate --url " + database.url())
        .hasMessageContaining("--schema fresh")
        .hasMessageContaining("Migrations.migrate(dataSource, \"fresh\")")
        .hasMessageContaining("sql --database postgresql");
  }

  @Test
  void stillMissesAColumnInANewerSchema() {
    database.execute("INSERT INTO inbox_schema VALUES (2); ALTER TABLE inbox DROP COLUMN state");

    assertThatThrownBy(() -> Migrations.verify(database.owner()))
        .hasMessageContaining("table inbox: column state is missing");
  }

  @Test
  void needsOnlyToReadTheVersion() {
    String role = database.role();

    SchemaMismatchException thrown =
        catchThrowableOfType(
            SchemaMismatchException.class, () -> Migrations.verify(database.as(role)));
    assertThat(thrown.differences())
        .containsExactly(
            "table inbox_schema: the role %s may not read it (GRANT SELECT ON \"public\".inbox_schema TO \"%s\")"
                .formatted(role, role));

    database.execute("GRANT SELECT ON inbox_schema TO " + role);
    assertThatCode(() -> Migrations.verify(database.as(role))).doesNotThrowAnyException();
  }

  @Test
  void changesNothing() {
    database.execute("ALTER TABLE inbox DROP COLUMN state");
    database.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$");

    assertThatThrownBy(() -> Migrations.verify(database.owner()))
        .isInstanceOf(SchemaMismatchException.class);
  }

  @Test
  void statusShowsWhatVerifyWouldSay() {
    database.execute("DROP TABLE inbox_parked");

    SchemaStatus status = Migrations.builder(database.owner()).build().status();

    assertThat(status.database()).startsWith("PostgreSQL 17");
    assertThat(status.schema()).isEqualTo("public");
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.knownVersion()).isEqualTo(1);
    assertThat(status.differences()).isEqualTo(List.of("table inbox_parked is missing"));
    assertThat(status.lock()).isEmpty();
  }
}
