package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.lockservice.StandardLockService;
import org.junit.jupiter.api.Test;

class ChangelogLockIT {

  private final TestDatabase database = TestDatabase.create();
  private final Migrations impatient =
      Migrations.builder(database.owner()).lockWait(Duration.ofMillis(500)).build();

  @Test
  void aStaleLockGivesHolderAgeAndTheCommandThatFreesIt() {
    lockedFor("2 hours");

    long start = System.nanoTime();
    assertThatThrownBy(impatient::migrate)
        .isInstanceOfSatisfying(
            ChangelogLockedException.class,
            e -> {
              assertThat(e.holder().name()).isEqualTo("worker-7, process 4711");
              assertThat(e.holder().age())
                  .isBetween(Duration.ofHours(2), Duration.ofHours(2).plusMinutes(1));
            })
        .hasMessageContaining("worker-7, process 4711 has held for 720")
        .hasMessageContaining(
            "-cli.jar release-lock --url " + database.url() + " --user postgres --schema public")
        .hasMessageContaining(
            "Migrations.builder(dataSource).schema(\"public\").build().releaseLock()");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
    assertThat(database.tables("public")).containsExactly("inbox_changelog_lock");
  }

  @Test
  void releaseLockFreesItAndSaysWhoHeldIt() {
    lockedFor("1 minute");

    assertThat(impatient.releaseLock())
        .hasValueSatisfying(
            holder -> assertThat(holder.name()).isEqualTo("worker-7, process 4711"));
    assertThat(impatient.releaseLock()).isEmpty();

    impatient.migrate();
    impatient.verify();
  }

  @Test
  void releaseLockOfAnEmptySchemaDoesNothing() {
    assertThat(impatient.releaseLock()).isEmpty();
    assertThat(database.tables("public")).isEmpty();
  }

  @Test
  void waitsForAHolderThatEnds() throws Exception {
    lockedFor("1 second");
    Migrations patient =
        Migrations.builder(database.owner()).lockWait(Duration.ofSeconds(30)).build();
    CompletableFuture<Void> migration = CompletableFuture.runAsync(patient::migrate);

    assertThatThrownBy(() -> migration.get(600, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    database.execute("UPDATE inbox_changelog_lock SET locked = FALSE");

    migration.get(30, TimeUnit.SECONDS);
    patient.verify();
  }

  @Test
  void statusShowsTheHolder() {
    lockedFor("1 minute");

    assertThat(impatient.status().lock())
        .hasValueSatisfying(
            holder ->
                assertThat(holder.age()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90)));
  }

  @Test
  void theAgeDoesNotDependOnTheTimeZone() throws SQLException {
    lockedFor("1 minute");
    try (Connection connection = database.owner().getConnection()) {
      // After connecting: the driver starts each session with the time zone of the JVM.
      TestDatabase.execute(new OneConnection(connection), "SET TIME ZONE 'Asia/Kolkata'");

      assertThat(Migrations.builder(new OneConnection(connection)).build().status().lock())
          .hasValueSatisfying(
              holder ->
                  assertThat(holder.age())
                      .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90)));
    }
  }

  @Test
  void isFreeAgainAfterAFailure() {
    // Types that are not Liquibase's make it fail with the lock held.
    database.execute(
        "CREATE TABLE inbox_changelog (id text, author text, filename text, orderexecuted bytea, exectype bytea, md5sum bytea)");

    assertThatThrownBy(impatient::migrate).isInstanceOf(MigrationFailedException.class);

    assertThat(impatient.status().lock()).isEmpty();
  }

  @Test
  void isTheLockOfLiquibasesOwnTools() throws Exception {
    try (Session session = database.session("public")) {
      ChangelogLock lock = new ChangelogLock(session);
      lock.acquire(Duration.ZERO);
      assertThat(liquibaseGetsTheLock()).isFalse();
      lock.release();
      assertThat(liquibaseGetsTheLock()).isTrue();
      assertThatThrownBy(() -> lock.acquire(Duration.ZERO))
          .isInstanceOf(ChangelogLockedException.class);
    }
  }

  @Test
  void onlyTheHolderFreesItByItself() throws SQLException {
    try (Session session = database.session("public")) {
      ChangelogLock lock = new ChangelogLock(session);
      lock.acquire(Duration.ZERO);
      database.execute("UPDATE inbox_changelog_lock SET lockedby = 'who took over'");

      lock.release();

      assertThat(lock.holder())
          .hasValueSatisfying(holder -> assertThat(holder.name()).isEqualTo("who took over"));
    }
  }

  private boolean liquibaseGetsTheLock() throws Exception {
    try (var connection = database.owner().getConnection()) {
      Database liquibase =
          DatabaseFactory.getInstance()
              .findCorrectDatabaseImplementation(new JdbcConnection(connection));
      liquibase.setDatabaseChangeLogLockTableName(ChangelogLock.TABLE);
      StandardLockService service = new StandardLockService();
      service.setDatabase(liquibase);
      return service.acquireLock();
    }
  }

  private void lockedFor(String age) {
    database.execute(
        """
        CREATE TABLE inbox_changelog_lock (id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255));
        INSERT INTO inbox_changelog_lock
          VALUES (1, TRUE, (now() AT TIME ZONE 'UTC') - interval '%s', 'worker-7, process 4711');
        """
            .formatted(age));
  }
}
