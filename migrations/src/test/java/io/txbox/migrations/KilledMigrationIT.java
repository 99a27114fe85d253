package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is killed (SIGKILL) while it migrates, and the next one. BC-56, BC-57. */
class KilledMigrationIT {

  private final TestDatabase database = TestDatabase.create();
  private final Migrations next =
      Migrations.builder(database.owner()).lockWait(Duration.ofSeconds(1)).build();

  @ParameterizedTest
  @CsvSource({
    // While it holds the lock, before any table of ours; between changesets; before the last one.
    "inbox_changelog (, 0",
    "CREATE TABLE inbox_schema, 0",
    "CREATE TABLE inbox_parked, 3",
    "COMMENT ON COLUMN inbox_parked.body, 3",
  })
  void leavesTheLockWhichTheNextOneNamesAndWhatWasDoneStays(String statement, int changesetsRun) {
    long pid;
    try (Gate gate = Gate.atDdl(database, statement);
        MigrationProcess process = MigrationProcess.start()) {
      process.awaitStart();
      process.order("migrate", 0, database, "public");
      gate.awaitHeldUp();
      pid = process.pid();
      process.kill();
      gate.endHeldUp();
    }
    assertThat(ran()).hasSize(changesetsRun);

    assertNamesTheHolder(next::migrate, pid);
    assertThat(ran()).hasSize(changesetsRun);
    assertThat(next.releaseLock())
        .hasValueSatisfying(holder -> assertThat(holder.name()).contains("process " + pid + ","));
    next.migrate();

    next.verify();
    assertThat(ran()).hasSameSizeAs(CurrentSchema.CHANGESETS);
  }

  @Test
  void afterTheLastChangesetNobodyNeedsTheLockItLeft() throws Exception {
    try (Session session = database.session("public")) {
      ChangelogLock lock = new ChangelogLock(session);
      lock.acquire(Duration.ZERO);
      lock.release();
    }
    try (Gate gate = Gate.atRow(database, "inbox_changelog_lock", "NOT NEW.locked");
        MigrationProcess process = MigrationProcess.start()) {
      process.awaitStart();
      process.order("migrate", 0, database, "public");
      gate.awaitHeldUp();
      process.kill();
      gate.endHeldUp();
    }
    assertThat(next.status().lock()).isPresent();

    next.migrate();

    next.verify();
    assertThat(next.status().lock()).isPresent();
    assertThatThrownBy(next::rollback).isInstanceOf(ChangelogLockedException.class);
    next.releaseLock();
    next.rollback();
    assertThat(database.tables("public")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"DROP TABLE IF EXISTS inbox_scope", "inbox_changelog, "})
  void aKilledRollbackCanBeEndedOrUndone(String statement) {
    for (boolean ended : List.of(true, false)) {
      next.migrate();
      long pid;
      try (Gate gate = Gate.atDdl(database, statement);
          MigrationProcess process = MigrationProcess.start()) {
        process.awaitStart();
        process.order("rollback", 0, database, "public");
        gate.awaitHeldUp();
        pid = process.pid();
        process.kill();
        gate.endHeldUp();
      }

      assertNamesTheHolder(next::migrate, pid);
      next.releaseLock();
      if (ended) {
        next.rollback();
        assertThat(database.tables("public")).isEmpty();
      } else {
        next.migrate();
        next.verify();
      }
    }
  }

  @Test
  void aProcessThatLosesItsConnectionFreesItsLockItself() {
    try (MigrationProcess process = MigrationProcess.start()) {
      try (Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_parked")) {
        process.awaitStart();
        process.order("migrate", 0, database, "public");
        gate.awaitHeldUp();
        gate.endHeldUp();
      }
      assertThatThrownBy(process::awaitDone).hasMessageContaining("terminating connection");
    }
    assertThat(next.status().lock()).isEmpty();

    next.migrate();
    next.verify();
  }

  private void assertNamesTheHolder(ThrowingCallable migration, long pid) {
    long start = System.nanoTime();
    assertThatThrownBy(migration)
        .isInstanceOf(ChangelogLockedException.class)
        .hasMessageContaining("process " + pid + ",")
        .hasMessageContaining("release-lock --url " + database.url());
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
  }

  private List<String> ran() {
    return database.tables("public").contains("inbox_changelog")
        ? database.query("SELECT id FROM inbox_changelog")
        : List.of();
  }
}
