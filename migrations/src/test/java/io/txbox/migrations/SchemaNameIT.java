package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Schemas that are not the default one, and whose names must be quoted to be named. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaNameIT {

  private static final int MAX_NAME_BYTES = 63;

  private final TestDatabase database = TestDatabase.create();

  List<String> names() {
    return List.of(
        "messaging",
        "Inbox-Tables",
        "mit Leerzeichen",
        "select",
        "user",
        "it's",
        "dotted.name",
        "semi;colon",
        "per%cent",
        "%s",
        "$$",
        "?",
        "a,b",
        "under_score",
        "größe",
        "日本",
        "s".repeat(MAX_NAME_BYTES),
        "é".repeat(MAX_NAME_BYTES / 2));
  }

  /** What a pattern would find in the place of under_score, and a search path of any. */
  @BeforeAll
  void migrateAnother() {
    database.execute("CREATE SCHEMA underXscore");
    Migrations.migrate(database.owner(), "underxscore");
  }

  @ParameterizedTest
  @MethodSource("names")
  void isMigratedVerifiedAndRolledBackAndNoOtherOne(String name) {
    List<String> others = everything();
    database.execute("CREATE SCHEMA " + Vendor.POSTGRESQL.quoted(name));
    PGSimpleDataSource elsewhere = (PGSimpleDataSource) database.owner();
    elsewhere.setCurrentSchema("underxscore,public");
    Migrations migrations = Migrations.builder(elsewhere).schema(name).build();

    migrations.migrate();

    migrations.verify();
    assertThat(database.tables(name.replace("'", "''")))
        .isEqualTo(CurrentSchema.TABLES_AND_CHANGELOG);
    assertThat(migrations.status().schema()).isEqualTo(name);
    migrations.rollback();
    assertThat(database.tables(name.replace("'", "''"))).isEmpty();
    database.execute("DROP SCHEMA " + Vendor.POSTGRESQL.quoted(name));
    assertThat(everything()).isEqualTo(others);
    Migrations.verify(database.owner(), "underxscore");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a \"quoted\" one", "back\\slash", "back`tick", "a\nline"})
  void isRefusedBeforeAnythingStarts(String name) {
    assertThatThrownBy(() -> Migrations.builder(database.owner()).schema(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a backslash, a backtick or a control character in its name")
        .hasMessageContaining("cannot be used: " + name)
        .hasMessageContaining("CREATE SCHEMA txbox");
    database.execute("CREATE SCHEMA " + Vendor.POSTGRESQL.quoted(name));
    String role = database.role();
    database.execute(
        "ALTER ROLE %s SET search_path = %s".formatted(role, Vendor.POSTGRESQL.quoted(name)));
    database.execute(
        "GRANT ALL ON SCHEMA %s TO %s".formatted(Vendor.POSTGRESQL.quoted(name), role));
    assertThatThrownBy(() -> Migrations.migrate(database.as(role)))
        .isInstanceOf(MigrationFailedException.class)
        .hasMessageContaining("cannot be used: " + name);
    assertThat(database.tables(name)).isEmpty();
  }

  private List<String> everything() {
    return database.query(
        """
        SELECT oid || ' ' || relname || ' ' || relnamespace FROM pg_class
        WHERE relkind IN ('r', 'i', 'S') AND relnamespace >= 2200 ORDER BY oid
        """);
  }
}
