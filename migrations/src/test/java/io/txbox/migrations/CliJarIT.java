package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar with the classifier cli, in processes of its own. */
class CliJarIT {

  private static final CliJar JAR = new CliJar("secret");

  private final Path folder;

  private final TestDatabase database = TestDatabase.create();

  CliJarIT(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void goesAllTheWay() throws Exception {
    database.execute("CREATE SCHEMA app");

    assertRun(3, "status", "version:  none", "fits:     no", "  - table inbox is missing");
    assertRun(
        3, "verify", "The tables of txbox in the schema app do not fit", "table inbox is missing");
    assertRun(0, "migrate", "The schema has version 1.");
    assertRun(0, "verify", "The schema fits.");
    assertRun(
        0,
        "status",
        "database: PostgreSQL 17",
        "schema:   app",
        "version:  1",
        "lock:     free",
        "fits:     yes");

    database.execute("UPDATE app.inbox_changelog_lock SET locked = TRUE, lockedby = 'worker-7'");
    assertRun(0, "status", "lock:     held by worker-7");
    assertRun(0, "release-lock", "Freed: it was held by worker-7");
    assertRun(0, "rollback --yes", "All tables of txbox are dropped.");
    assertThat(database.tables("app")).isEmpty();
  }

  @Test
  void theCommandThatAStaleLockNamesFreesIt() throws Exception {
    String schema = "it's My $HOME";
    database.execute("CREATE SCHEMA " + Vendor.POSTGRESQL.quoted(schema));
    List<String> migrate =
        List.of(
            "migrate",
            "--lock-wait",
            "1",
            "--url",
            database.url(),
            "--user",
            "postgres",
            "--schema",
            schema);
    try (Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_parked")) {
      Process killed = JAR.start(folder.resolve("killed"), migrate);
      gate.awaitHeldUp();
      killed.destroyForcibly().waitFor();
      gate.endHeldUp();
    }
    Path output = folder.resolve("waited");
    assertThat(CliJar.exitOf(JAR.start(output, migrate))).isEqualTo(4);
    String command =
        Files.readString(output)
            .lines()
            .filter(line -> line.contains("free the lock with: "))
            .map(line -> line.substring(line.indexOf(": java ") + 2))
            .findFirst()
            .orElseThrow();

    Path freed = folder.resolve("freed");
    Process shell = JAR.shell(freed, command);

    assertThat(CliJar.exitOf(shell)).as(command + Files.readString(freed)).isZero();
    assertThat(Files.readString(freed)).contains("Freed: it was held by ");
    assertThat(CliJar.exitOf(JAR.start(output, migrate))).as(Files.readString(output)).isZero();
    Migrations.verify(database.owner(), schema);
  }

  @Test
  void threeProcessesAtOnceOnAnEmptySchemaAllSucceed() throws Exception {
    database.execute(
        """
        CREATE TABLE inbox_changelog_lock (id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255));
        INSERT INTO inbox_changelog_lock VALUES (1, TRUE, now() AT TIME ZONE 'UTC', 'the gate');
        """);
    List<Process> rivals = new ArrayList<>();
    List<Path> outputs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Path output = folder.resolve("rival-" + i);
      outputs.add(output);
      rivals.add(
          JAR.start(output, List.of("migrate", "--url", database.url(), "--user", "postgres")));
    }
    // All at the gate before it opens: processes start too far apart to meet by themselves.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (waiting() < 3) {
      assertThat(rivals.get(0).waitFor(100, TimeUnit.MILLISECONDS))
          .as("ran past the lock")
          .isFalse();
      assertThat(System.nanoTime()).as("three wait within a minute").isLessThan(deadline);
    }
    assertThat(rivals).allMatch(Process::isAlive);
    assertThat(database.query("SELECT lockedby FROM inbox_changelog_lock"))
        .containsExactly("the gate");
    assertThat(database.tables("public")).containsExactly("inbox_changelog_lock");
    database.execute("UPDATE inbox_changelog_lock SET locked = FALSE");

    for (int i = 0; i < 3; i++) {
      assertThat(CliJar.exitOf(rivals.get(i))).as(Files.readString(outputs.get(i))).isZero();
    }
    Migrations.verify(database.owner());
    assertThat(database.query("SELECT id FROM inbox_changelog ORDER BY id"))
        .isEqualTo(CurrentSchema.CHANGESETS);
  }

  @Test
  void showsThePasswordNowhere() throws Exception {
    Path output = folder.resolve("wrong-host");
    Process process =
        JAR.start(
            output,
            List.of(
                "verify",
                "--url",
                "jdbc:postgresql://localhost:1/app?password=secret",
                "--user",
                "me"));

    assertThat(CliJar.exitOf(process)).isEqualTo(1);
    assertThat(Files.readString(output))
        .contains("localhost:1 refused")
        .doesNotContain("secret", "\tat ");
  }

  @Test
  void printsSqlAndNothingElse() throws Exception {
    Path output = folder.resolve("sql");
    Process process = JAR.start(output, List.of("sql", "--database", "postgresql"));

    assertThat(CliJar.exitOf(process)).isZero();
    assertThat(Files.readString(output)).isEqualTo(Release.CURRENT.plainSql(Vendor.POSTGRESQL));
  }

  private int waiting() {
    return Integer.parseInt(
        database
            .query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
            .get(0));
  }

  private void assertRun(int exitCode, String command, String... expected) throws Exception {
    Path output = folder.resolve("output");
    List<String> arguments =
        Stream.concat(
                Stream.of(command.split(" ")),
                Stream.of("--url", database.url(), "--user", "postgres", "--schema", "app"))
            .toList();
    int actual = CliJar.exitOf(JAR.start(output, arguments));
    String printed = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(actual).as(printed).isEqualTo(exitCode);
    assertThat(printed).contains(expected);
    assertThat(printed.lines())
        .as("Liquibase's noise")
        .noneMatch(line -> line.contains("iquibase"));
  }
}
