package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The structure that verify expects is written down once, as a file. To make it again after a
 * change to the changelog: {@code mvn verify -pl migrations -Dit.test=StructureIT
 * -Dtxbox.regenerate-structure}, and read the diff.
 */
class StructureIT {

  private static final Path FILE =
      Path.of("src/main/resources/io/txbox/migrations/structure/postgresql.txt");

  private final TestDatabase database = TestDatabase.create();

  @Test
  void fileSaysWhatTheChangelogMakes() throws Exception {
    try (Session session = database.session("public")) {
      Changelog.update(session, Release.CURRENT);
      String structure = StructureReader.read(session, CurrentSchema.TABLES).toString();
      if (System.getProperty("txbox.regenerate-structure") != null) {
        Files.writeString(FILE, structure);
      }
      assertThat(Files.readString(FILE)).isEqualTo(structure);
    }
  }

  @Test
  void plainSqlMakesTheSameAsMigrate() {
    database.execute("CREATE SCHEMA by_hand");
    database.execute("SET search_path = by_hand; " + Release.CURRENT.plainSql(Vendor.POSTGRESQL));
    Migrations.migrate(database.owner(), "public");

    Migrations.verify(database.owner(), "by_hand");
    assertThat(database.structure("by_hand")).hasToString(database.structure("public").toString());
    assertThat(database.query(comments("by_hand"))).isEqualTo(database.query(comments("public")));
    assertThat(database.query(comments("public"))).isNotEmpty();
    assertThat(database.tables("by_hand")).isEqualTo(CurrentSchema.TABLES);
  }

  @Test
  void noColumnHasATimeZone() {
    Migrations.migrate(database.owner());

    assertThat(
            database.query(
                "SELECT table_name || '.' || column_name FROM information_schema.columns"
                    + " WHERE table_schema = 'public' AND data_type LIKE '%with time zone%'"))
        .isEmpty();
  }

  @Test
  void timesOfOursAreBigints() {
    Migrations.migrate(database.owner());

    assertThat(
            database.query(
                "SELECT DISTINCT data_type FROM information_schema.columns WHERE table_schema = 'public'"
                    + " AND table_name IN ('inbox', 'inbox_scope', 'inbox_parked')"
                    + " AND (column_name LIKE '%\\_at' OR column_name LIKE '%time' OR column_name LIKE '%horizon')"))
        .containsExactly("bigint");
  }

  private static String comments(String schema) {
    return """
        SELECT c.relname || '.' || d.objsubid || ': ' || d.description FROM pg_description d
        JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass
        WHERE c.relnamespace = '%s'::regnamespace AND c.relname NOT LIKE 'inbox_changelog%%' ORDER BY 1
        """
        .formatted(schema);
  }
}
