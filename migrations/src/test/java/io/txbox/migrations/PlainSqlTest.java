package io.txbox.migrations;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import liquibase.change.Change;
import liquibase.change.DbmsTargetedChange;
import liquibase.changelog.ChangeSet;
import liquibase.database.Database;
import liquibase.database.DatabaseList;
import liquibase.database.core.MariaDBDatabase;
import liquibase.database.core.MySQLDatabase;
import liquibase.database.core.PostgresDatabase;
import liquibase.sql.Sql;
import liquibase.sqlgenerator.SqlGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * The plain SQL files are made from the changelog, offline. To make them again after a change to
 * the changelog: {@code mvn test -pl migrations -Dtest=PlainSqlTest -Dtxbox.regenerate-sql}
 */
class PlainSqlTest {

  private static final Path FILES = Path.of("src/main/resources/io/txbox/migrations/sql");

  private static final String HEADER =
      """
      -- The tables of txbox for %s: the same as Migrations.migrate(dataSource) makes, without its changelog tables.
      -- For those who apply SQL by their own means; Migrations.verify(dataSource) passes afterwards.
      -- Apply it to the %s that txbox is to use, as its owner%s.
      -- Generated from the Liquibase changelog (see PlainSqlTest): do not edit.
      """;

  @Test
  void postgresqlFileIsWhatTheChangelogSays() throws Exception {
    check(
        "postgresql.sql",
        HEADER.formatted(
            "PostgreSQL", "schema", ", in one transaction (psql --single-transaction)"),
        new PostgresDatabase());
  }

  @Test
  void mysqlFileIsWhatTheChangelogSays() throws Exception {
    check("mysql.sql", HEADER.formatted("MySQL and MariaDB", "database", ""), new MySQLDatabase());
  }

  @Test
  void mariadbNeedsNoFileOfItsOwn() throws Exception {
    assertThat(statements(new MariaDBDatabase())).isEqualTo(statements(new MySQLDatabase()));
  }

  @Test
  void everyChangesetCanBeRolledBack() throws Exception {
    Database database = new PostgresDatabase();
    Changelog.inScope(
        () ->
            assertThat(Changelog.parse(Release.CURRENT, database).getChangeSets())
                .isNotEmpty()
                .allSatisfy(
                    changeSet -> assertThat(changeSet.getRollback().getChanges()).isNotEmpty()));
  }

  @Test
  void changelogEndsWithTheKnownVersion() throws Exception {
    String last =
        "INSERT INTO inbox_schema (version) VALUES (%d);\n".formatted(Inspection.KNOWN_VERSION);
    assertThat(statements(new PostgresDatabase())).endsWith(last);
    assertThat(statements(new MySQLDatabase())).endsWith(last);
  }

  private static void check(String name, String header, Database database) throws Exception {
    Path file = FILES.resolve(name);
    String generated = header + statements(database);
    if (System.getProperty("txbox.regenerate-sql") != null) {
      Files.writeString(file, generated);
    }
    assertThat(file).binaryContent().isEqualTo(generated.getBytes(UTF_8));
  }

  private static String statements(Database database) throws Exception {
    List<String> statements = new ArrayList<>();
    Changelog.inScope(
        () -> {
          for (ChangeSet changeSet : Changelog.parse(Release.CURRENT, database).getChangeSets()) {
            statements.add("\n-- " + changeSet.getId() + "\n");
            for (Change change : changeSet.getChanges()) {
              if (isFor(change, database)) {
                for (Sql sql : SqlGeneratorFactory.getInstance().generateSql(change, database)) {
                  statements.add(sql.toSql() + ";\n");
                }
              }
            }
          }
        });
    return String.join("", statements);
  }

  private static boolean isFor(Change change, Database database) {
    return !(change instanceof DbmsTargetedChange targeted)
        || DatabaseList.definitionMatches(targeted.getDbms(), database, true);
  }
}
