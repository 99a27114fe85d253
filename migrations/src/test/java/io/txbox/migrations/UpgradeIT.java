package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * From version 1 to a version 2 that only this test has, and back, with the rows of a service that
 * goes on.
 */
class UpgradeIT {

  static final Release NEXT = new Release(2, "io/txbox/migrations/next");

  private final TestDatabase database = TestDatabase.create();
  private final Migrations version1 = Migrations.builder(database.owner()).build();
  private final Migrations version2 = Migrations.builder(database.owner()).release(NEXT).build();

  @Test
  void keepsEveryRowUpAndDownWhileAnInstanceOfVersion1GoesOn() throws Exception {
    version1.migrate();
    String structure = database.structure("public").toString();
    fill();
    String before = checksum();
    try (VersionOneWriter writer = VersionOneWriter.start(database)) {
      writer.awaitMore();

      CompletableFuture<Void> upgrade;
      try (Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_note")) {
        upgrade = CompletableFuture.runAsync(version2::migrate);
        gate.awaitHeldUp();
        version1.verify();
        writer.awaitMore();
      }
      upgrade.get(60, TimeUnit.SECONDS);

      version2.verify();
      version1.verify();
      version1.migrate();
      assertThat(version1.status().version()).isEqualTo(2);
      assertThat(checksum()).isEqualTo(before);
      writer.awaitMore();

      version2.rollbackTo(1);

      version1.verify();
      assertThat(database.structure("public")).hasToString(structure);
      assertThat(checksum()).isEqualTo(before);
      writer.awaitMore();

      version2.migrate();
      version2.verify();
      writer.stop();
      assertThat(database.query("SELECT count(*) FROM inbox WHERE scope_id = 2"))
          .containsExactly(Long.toString(writer.written()));
    }
    assertThat(checksum()).isEqualTo(before);
    assertThat(database.query("SELECT version FROM inbox_schema ORDER BY 1"))
        .containsExactly("1", "2");
  }

  @Test
  void whatBreaksOffInTheMiddleLeavesVersion1RunningAndIsTakenUp() {
    version1.migrate();
    fill();
    String before = checksum();
    try (Gate gate = Gate.atDdl(database, "CREATE TABLE inbox_note")) {
      CompletableFuture<Void> upgrade = CompletableFuture.runAsync(version2::migrate);
      gate.awaitHeldUp();
      gate.endHeldUp();
      assertThatThrownBy(() -> upgrade.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(MigrationFailedException.class);
    }
    version1.verify();
    assertThat(version1.status().version()).isEqualTo(1);
    assertThatThrownBy(version2::verify)
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("the schema's version is 1, this library needs 2")
        .hasMessageContaining("table inbox_note is missing");

    version2.migrate();

    version2.verify();
    assertThat(checksum()).isEqualTo(before);
  }

  private void fill() {
    database.execute(
        """
        INSERT INTO inbox_scope (created_at, consumer_group, scope) VALUES (1, 'g', 's'), (1, 'g', 't');
        INSERT INTO inbox SELECT n, n + 1, hashint8(n), 1, n % 3, 'key-' || n, md5(n::text)
          FROM generate_series(1, 10000) n;
        INSERT INTO inbox_parked (parked_at, message_time, born_at, attempt, scope_id, dedup_key, reason, topic, message_id,
            properties, body)
          SELECT n, n, n, 1, 1, 'key-' || n, 'POISON', 's', md5(n::text), '\\x000102',
            decode(repeat(md5(n::text), n), 'hex')
          FROM generate_series(1, 200) n;
        """);
  }

  /** Of what {@link #fill} has made, by the columns of version 1. */
  private String checksum() {
    return String.join(
        " ",
        database.query(
            """
            SELECT count(*) || ' ' || md5(string_agg(
                ROW(message_time, processed_at, body_fingerprint, state, dedup_key, message_id)::text, '' ORDER BY dedup_key))
              FROM inbox WHERE scope_id = 1
            UNION ALL
            SELECT count(*) || ' ' || md5(string_agg(
                ROW(id, parked_at, message_time, born_at, stored_at, queue_offset, queue, attempt, scope_id, dedup_key,
                  ordering_key, reason, detail, topic, message_id, broker, properties, body)::text, '' ORDER BY id))
              FROM inbox_parked
            UNION ALL
            SELECT string_agg(ROW(id, consumer_group, scope, created_at, horizon)::text, '' ORDER BY id) FROM inbox_scope
            """));
  }
}
