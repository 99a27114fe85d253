package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.testkit.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold on MySQL and on MariaDB, where DDL is no transaction. */
abstract class MySqlTests {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  abstract TestDatabase server();

  /** Returns an address for the same server by the other product's driver. */
  abstract String urlByTheOtherDriver(String url);

  private DSLContext dsl() {
    return server().dsl();
  }

  /** Makes an empty database, whose character set is not the server's if so wanted. */
  private String emptyDatabase(String options) {
    String name = server().name() + "_" + NUMBER.incrementAndGet();
    dsl().execute("CREATE DATABASE " + name + " " + options);
    return name;
  }

  private String emptyDatabase() {
    return emptyDatabase("");
  }

  private HikariDataSource pool(String database, String initSql) {
    return server()
        .dataSource(
            pool -> {
              pool.setJdbcUrl(urlOf(database));
              pool.setMaximumPoolSize(2);
              pool.setConnectionInitSql(initSql);
            });
  }

  private String urlOf(String database) {
    return server().jdbcUrl().replaceFirst("/[^/]*$", "/" + database);
  }

  private List<String> tables(String database) {
    return dsl()
        .fetch(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = ? ORDER BY 1",
            database)
        .getValues(0, String.class);
  }

  private Structure structure(String database) throws SQLException {
    try (Session session = Session.open(server().dataSource(), database, Duration.ofSeconds(5))) {
      return StructureReader.read(session, CurrentSchema.TABLES);
    }
  }

  // BC-10, BC-11, BC-58
  @ParameterizedTest
  @CsvSource({
    "utf8mb4_general_ci, STRICT_TRANS_TABLES",
    "utf8mb4_bin, ''",
    "latin1_swedish_ci, ''",
    "utf8mb3_general_ci, ''",
    "utf8mb3_general_ci, 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'"
  })
  void keysAreTheirExactBytesWhateverTheDefaults(String collation, String sqlMode)
      throws SQLException {
    String database = emptyDatabase("COLLATE " + collation);
    DataSource pool = pool(database, "SET sql_mode = '" + sqlMode + "'");

    Migrations.migrate(pool);

    Migrations.verify(pool);
    assertThat(structure(database)).hasToString(Release.CURRENT.structure(Vendor.MYSQL).toString());
    List<String> keys =
        List.of("abc", "ABC", "äbc", "abc ", "abc\t", "abc\0", "ａｂｃ", "x".repeat(255));
    DSLContext dsl = server().dsl(pool);
    for (String key : keys) {
      dsl.execute(
          "INSERT INTO inbox (message_time, processed_at, body_fingerprint, scope_id, state,"
              + " dedup_key, message_id) VALUES (1, 1, 1, 1, 0, ?, 'id')",
          (Object) key.getBytes(StandardCharsets.UTF_8));
      dsl.execute(
          "INSERT INTO inbox_scope (created_at, consumer_group, scope) VALUES (1, ?, 'T')",
          (Object) key.getBytes(StandardCharsets.UTF_8));
    }
    assertThat(stored(dsl, "inbox", "dedup_key")).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(stored(dsl, "inbox_scope", "consumer_group"))
        .containsExactlyInAnyOrderElementsOf(keys);
  }

  private static List<String> stored(DSLContext dsl, String table, String column) {
    return dsl.select(DSL.field(DSL.name(column), byte[].class))
        .from(DSL.table(DSL.name(table)))
        .fetch(row -> new String(row.value1(), StandardCharsets.UTF_8));
  }

  // BC-38, BC-39
  @Test
  void noColumnHasATimeWithAZoneOrAGap() {
    String database = emptyDatabase();
    Migrations.migrate(server().dataSource(), database);

    assertThat(
            dsl()
                .fetch(
                    "SELECT DISTINCT data_type FROM information_schema.columns WHERE table_schema ="
                        + " ? AND table_name IN ('inbox', 'inbox_scope', 'inbox_parked') AND"
                        + " (column_name LIKE '%\\_at' OR column_name LIKE '%time' OR column_name"
                        + " LIKE '%horizon')",
                    database)
                .getValues(0, String.class))
        .containsExactly("bigint");
    assertThat(
            dsl()
                .fetch(
                    "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND"
                        + " table_name IN ('inbox', 'inbox_scope', 'inbox_parked', 'inbox_schema')"
                        + " AND data_type IN ('timestamp', 'datetime', 'date', 'time')",
                    database))
        .isEmpty();
  }

  @Test
  void fileSaysWhatTheChangelogMakes() throws Exception {
    String database = emptyDatabase();
    try (Session session = Session.open(server().dataSource(), database, Duration.ofSeconds(5))) {
      Changelog.update(session, Release.CURRENT);
    }
    assertThat(structure(database).toString())
        .isEqualTo(
            Files.readString(
                Path.of("src/main/resources/io/txbox/migrations/structure/mysql.txt")));
  }

  @Test
  void plainSqlMakesTheSameAsMigrate() throws SQLException {
    String byHand = emptyDatabase();
    applyByHand(byHand, 8);
    String migrated = emptyDatabase();
    Migrations.migrate(server().dataSource(), migrated);

    Migrations.verify(server().dataSource(), byHand);
    assertThat(structure(byHand)).hasToString(structure(migrated).toString());
    assertThat(tables(byHand)).isEqualTo(CurrentSchema.TABLES);
  }

  /** Runs the first statements of the plain SQL, of which each commits by itself. */
  private void applyByHand(String database, int statements) throws SQLException {
    try (HikariDataSource pool = pool(database, "SELECT 1");
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : plainStatements().subList(0, statements)) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> plainStatements() {
    String sql =
        Release.CURRENT
            .plainSql(Vendor.MYSQL)
            .lines()
            .filter(line -> !line.startsWith("--"))
            .reduce("", (text, line) -> text + line + "\n");
    return Arrays.stream(sql.split(";\n")).filter(statement -> !statement.isBlank()).toList();
  }

  // BC-57
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void completesWhatWasHalfApplied(int statements) throws SQLException {
    String database = emptyDatabase();
    applyByHand(database, statements);
    assertThatThrownBy(() -> Migrations.verify(server().dataSource(), database))
        .isInstanceOf(SchemaMismatchException.class);

    Migrations.migrate(server().dataSource(), database);

    Migrations.verify(server().dataSource(), database);
    assertThat(structure(database)).hasToString(Release.CURRENT.structure(Vendor.MYSQL).toString());
  }

  // BC-57
  @Test
  void fiveInstancesAtOnceAllSucceedRoundAfterRound() {
    List<MigrationProcess> instances = Stream.generate(MigrationProcess::start).limit(5).toList();
    try {
      instances.forEach(MigrationProcess::awaitStart);
      for (String database : IntStream.range(0, 20).mapToObj(i -> emptyDatabase()).toList()) {
        long soon = System.currentTimeMillis() + 50;
        instances.forEach(
            instance ->
                instance.order("migrate", soon, server().jdbcUrl(), server().user(), database));
        instances.forEach(MigrationProcess::awaitDone);

        Migrations.verify(server().dataSource(), database);
        assertThat(dsl().fetchCount(DSL.table(DSL.name(database, "inbox_changelog")))).isEqualTo(8);
        assertThat(dsl().fetchCount(DSL.table(DSL.name(database, "inbox_schema")))).isEqualTo(1);
      }
    } finally {
      instances.forEach(MigrationProcess::close);
    }
  }

  // BC-56, BC-57
  @Test
  void aKilledMigrationLeavesTheLockWhichTheNextOneNames() throws SQLException {
    int interrupted = 0;
    for (int changesets = 0; changesets < 5; changesets++) {
      String database = emptyDatabase();
      Migrations next =
          Migrations.builder(server().dataSource())
              .schema(database)
              .lockWait(Duration.ofSeconds(1))
              .build();
      long pid = killAfter(changesets, database);

      try {
        next.migrate(); // It was done but for the lock.
      } catch (ChangelogLockedException e) {
        interrupted++;
        assertThat(e)
            .hasMessageContaining("process " + pid + ",")
            .hasMessageContaining("release-lock --url ");
        assertThat(next.releaseLock()).isPresent();
        next.migrate();
      }

      next.verify();
      assertThat(structure(database))
          .hasToString(Release.CURRENT.structure(Vendor.MYSQL).toString());
    }
    assertThat(interrupted).isPositive();
  }

  /**
   * Kills a migration as soon as so many changesets are seen to have run, and it holds the lock.
   */
  private long killAfter(int changesets, String database) {
    try (MigrationProcess process = MigrationProcess.start()) {
      process.awaitStart();
      process.order("migrate", 0, server().jdbcUrl(), server().user(), database);
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(2))
          .atMost(Duration.ofMinutes(1))
          .until(() -> changesetsRun(database) >= changesets);
      process.kill();
      await().atMost(Duration.ofMinutes(1)).until(() -> sessionsIn(database) == 0);
      return process.pid();
    }
  }

  /** Returns how many changesets have run, -1 if not even the lock is there. */
  private int changesetsRun(String database) {
    List<String> tables = tables(database);
    return tables.contains("inbox_changelog")
        ? dsl().fetchCount(DSL.table(DSL.name(database, "inbox_changelog")))
        : tables.contains("inbox_changelog_lock") ? 0 : -1;
  }

  private int sessionsIn(String database) {
    return dsl()
        .fetchSingle("SELECT COUNT(*) FROM information_schema.processlist WHERE db = ?", database)
        .get(0, Integer.class);
  }

  @Test
  void rollbackLeavesNothingAndCanBeMigratedAgain() {
    String database = emptyDatabase();
    Migrations migrations = Migrations.builder(server().dataSource()).schema(database).build();
    migrations.migrate();
    assertThat(migrations.status().version()).isEqualTo(1);

    migrations.rollback();

    assertThat(tables(database)).isEmpty();
    migrations.migrate();
    migrations.verify();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE inbox ENGINE=MyISAM",
        "ALTER TABLE inbox MODIFY dedup_key varchar(255) COLLATE utf8mb4_bin NOT NULL",
        "ALTER TABLE inbox MODIFY dedup_key varbinary(100) NOT NULL",
        "ALTER TABLE inbox DROP PRIMARY KEY, ADD PRIMARY KEY (dedup_key)",
        "ALTER TABLE inbox_scope DROP KEY inbox_scope_consumer_group_scope_key",
        "ALTER TABLE inbox_parked DROP KEY inbox_parked_dedup_key_scope_id_idx",
        "ALTER TABLE inbox ADD extra int NOT NULL",
        "DROP TABLE inbox_parked",
        "DELETE FROM inbox_schema"
      })
  void verifyNamesWhatSomebodyHasChanged(String change) throws SQLException {
    String database = emptyDatabase();
    Migrations.migrate(server().dataSource(), database);
    try (HikariDataSource pool = pool(database, "SELECT 1")) {
      server().dsl(pool).execute(change);
    }

    assertThatThrownBy(() -> Migrations.verify(server().dataSource(), database))
        .isInstanceOf(SchemaMismatchException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"CREATE TABLE inbox (a text)", "CREATE VIEW inbox_scope AS SELECT 1 AS id"})
  void changesNothingWhereANameIsTaken(String ddl) {
    String database = emptyDatabase();
    try (HikariDataSource pool = pool(database, "SELECT 1")) {
      server().dsl(pool).execute(ddl);
    }
    List<String> before = tables(database);

    assertThatThrownBy(() -> Migrations.migrate(server().dataSource(), database))
        .isInstanceOf(TableTakenException.class);

    assertThat(tables(database)).isEqualTo(before);
  }

  @Test
  void saysWhichRightsAreMissing() {
    String database = emptyDatabase();
    String user = "reader_" + Long.toString(System.nanoTime(), 36);
    dsl().execute("CREATE USER '" + user + "'@'%' IDENTIFIED BY ''");
    dsl().execute("GRANT SELECT ON " + database + ".* TO '" + user + "'@'%'");
    try {
      DataSource reader = new DriverDataSource(urlOf(database), user, null);

      assertThatThrownBy(() -> Migrations.migrate(reader))
          .isInstanceOf(MissingRightsException.class)
          .hasMessageContaining(user);

      Migrations.migrate(server().dataSource(), database);
      Migrations.verify(reader);
    } finally {
      dsl().execute("DROP USER '" + user + "'@'%'");
    }
  }

  @Test
  void givesTheConnectionBackAsItCame() throws SQLException {
    String database = emptyDatabase();
    try (Connection connection = server().dataSource().getConnection()) {
      connection.setAutoCommit(false);

      Migrations.migrate(new OneConnection(connection), database);

      assertThat(connection.getCatalog()).isEqualTo(server().name());
      assertThat(connection.getAutoCommit()).isFalse();
      connection.rollback();
    }
  }

  @Test
  void speaksThroughTheOtherProductsDriverToo() {
    String database = emptyDatabase();
    DataSource other =
        new DriverDataSource(
            urlByTheOtherDriver(urlOf(database)), server().user(), server().password());

    Migrations.migrate(other);

    Migrations.verify(other);
    Migrations.verify(server().dataSource(), database);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCommandThatVerifyNamesMigrates(boolean byTheOtherDriver, @TempDir Path folder)
      throws Exception {
    String url = urlOf(emptyDatabase());
    CliJar jar = new CliJar(server().password());
    Path output = folder.resolve("output");
    List<String> verify =
        List.of(
            "verify",
            "--url",
            byTheOtherDriver ? urlByTheOtherDriver(url) : url,
            "--user",
            server().user());
    assertThat(CliJar.exitOf(jar.start(output, verify))).as(Files.readString(output)).isEqualTo(3);
    String command =
        Files.readString(output)
            .lines()
            .filter(line -> line.startsWith("Bring it up to date with: "))
            .map(line -> line.substring(line.indexOf(": java ") + 2))
            .findFirst()
            .orElseThrow()
            .replace("<owner>", server().user());

    Process shell = jar.shell(output, command);

    assertThat(CliJar.exitOf(shell)).as(command + Files.readString(output)).isZero();
    assertThat(Files.readString(output)).contains("The schema has version 1.");
    assertThat(CliJar.exitOf(jar.start(output, verify))).as(Files.readString(output)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void saysThatTheAddressNamesNoDatabase(boolean byTheOtherDriver) {
    String url = byTheOtherDriver ? urlByTheOtherDriver(urlOf("")) : urlOf("");
    DataSource none = new DriverDataSource(url, server().user(), server().password());

    assertThatThrownBy(() -> Migrations.verify(none))
        .isInstanceOf(SchemaMissingException.class)
        .hasMessageContaining("names no database");
  }
}
