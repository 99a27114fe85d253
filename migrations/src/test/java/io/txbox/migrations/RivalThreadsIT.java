package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several at once in one JVM, which share Liquibase's registries. */
class RivalThreadsIT {

  private final TestDatabase database = TestDatabase.create();

  @Test
  void allSucceedOnAnEmptySchema() throws Exception {
    for (String schema : List.of("one", "two", "three", "four", "five")) {
      database.execute("CREATE SCHEMA " + schema);

      atOnce(Collections.nCopies(5, () -> Migrations.migrate(database.owner(), schema)));

      Migrations.verify(database.owner(), schema);
      assertThat(database.query("SELECT id FROM " + schema + ".inbox_changelog ORDER BY id"))
          .isEqualTo(CurrentSchema.CHANGESETS);
      assertThat(database.query("SELECT locked FROM " + schema + ".inbox_changelog_lock"))
          .containsExactly("f");
    }
  }

  @Test
  void rivalsOfARollbackEachGetAWholeSchemaOrNone() throws Exception {
    Migrations migrations = Migrations.builder(database.owner()).build();
    for (int round = 0; round < 5; round++) {
      migrations.migrate();

      atOnce(List.of(migrations::rollback, migrations::migrate, migrations::migrate));

      assertThat(database.tables("public")).isIn(List.of(), CurrentSchema.TABLES_AND_CHANGELOG);
    }
  }

  @Test
  void readersSeeAWholeSchemaOrNoneWhileOthersMakeAndDropIt() throws Exception {
    Migrations migrations = Migrations.builder(database.owner()).build();
    AtomicBoolean over = new AtomicBoolean();
    Runnable reader =
        () -> {
          while (!over.get()) {
            SchemaStatus status = migrations.status();
            assertThat(status.version()).isIn(0, 1);
          }
        };
    Runnable writer =
        () -> {
          try {
            for (int round = 0; round < 10; round++) {
              migrations.migrate();
              migrations.rollback();
            }
          } finally {
            over.set(true);
          }
        };

    atOnce(List.of(writer, reader, reader));

    assertThat(database.tables("public")).isEmpty();
  }

  @Test
  void instancesOfTwoVersionsBringTheNewerOne() throws Exception {
    for (String schema : List.of("one", "two", "three")) {
      database.execute("CREATE SCHEMA " + schema);

      atOnce(
          Stream.of(Release.CURRENT, UpgradeIT.NEXT, Release.CURRENT, UpgradeIT.NEXT)
              .map(release -> Migrations.builder(database.owner()).schema(schema).release(release))
              .map(builder -> (Runnable) builder.build()::migrate)
              .toList());

      assertThat(database.query("SELECT max(version) FROM " + schema + ".inbox_schema"))
          .containsExactly("2");
      assertThat(database.query("SELECT id FROM " + schema + ".inbox_changelog"))
          .hasSize(CurrentSchema.CHANGESETS.size() + 4);
      Migrations.verify(database.owner(), schema);
    }
  }

  /** Runs all at the same moment; throws if one does, or takes for longer than a minute. */
  static void atOnce(List<Runnable> rivals) throws Exception {
    CyclicBarrier start = new CyclicBarrier(rivals.size());
    ExecutorService threads = Executors.newFixedThreadPool(rivals.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (Runnable rival : rivals) {
        running.add(
            threads.submit(
                () -> {
                  start.await(60, TimeUnit.SECONDS);
                  rival.run();
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
