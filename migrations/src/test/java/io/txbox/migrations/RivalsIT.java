package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Five instances, each a JVM of its own, that start at the same moment. BC-57. */
class RivalsIT {

  private static final int ROUNDS = 20;

  private final TestDatabase database = TestDatabase.create();
  private List<MigrationProcess> instances = List.of();

  @BeforeEach
  void start() {
    instances = Stream.generate(MigrationProcess::start).limit(5).toList();
    instances.forEach(MigrationProcess::awaitStart);
  }

  @AfterEach
  void stop() {
    instances.forEach(MigrationProcess::close);
  }

  @Test
  void allSucceedOnAnEmptySchemaRoundAfterRound() {
    for (String schema : IntStream.range(0, ROUNDS).mapToObj(i -> "round_" + i).toList()) {
      database.execute("CREATE SCHEMA " + schema);

      allAtOnce("migrate", schema);

      Migrations.verify(database.owner(), schema);
      assertThat(database.query("SELECT id FROM " + schema + ".inbox_changelog ORDER BY id"))
          .as(schema)
          .isEqualTo(CurrentSchema.CHANGESETS);
      assertThat(
              database.query(
                  "SELECT locked || ' ' || count(*) OVER () FROM "
                      + schema
                      + ".inbox_changelog_lock"))
          .as(schema)
          .containsExactly("false 1");
      assertThat(database.query("SELECT version FROM " + schema + ".inbox_schema"))
          .as(schema)
          .containsExactly("1");
    }
  }

  private void allAtOnce(String what, String schema) {
    long soon = System.currentTimeMillis() + 50;
    instances.forEach(instance -> instance.order(what, soon, database, schema));
    instances.forEach(MigrationProcess::awaitDone);
  }
}
