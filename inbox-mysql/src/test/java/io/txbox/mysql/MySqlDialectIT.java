package io.txbox.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.QueueId;
import io.txbox.SetupException;
import io.txbox.inbox.Inbox;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.migrations.Migrations;
import io.txbox.store.InboxSchema;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlDialectIT extends MySqlTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mysql().schema(Migrations::migrate);

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  String urlByTheOtherDriver(String url) {
    return url.replace("jdbc:mysql:", "jdbc:mariadb:");
  }

  @Test
  void refusesSettingsUnderWhichTheDriverSendsOtherText() {
    DSLContext latin = pool(p -> p.addDataSourceProperty("characterEncoding", "ISO-8859-1"));
    DSLContext unescaped =
        pool(p -> p.setConnectionInitSql("SET sql_mode = 'NO_BACKSLASH_ESCAPES'"));

    for (DSLContext dsl : List.of(latin, unescaped)) {
      assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("does not reach the server as it is");
    }
  }

  @Test
  void refusesAnAddressWhoseOtherServersTheDriverTakesForReadOnly() {
    String two = database().jdbcUrl().replaceFirst("//([^/]+)/", "//$1,$1/");
    assertThatThrownBy(() -> inbox(pool(p -> p.setJdbcUrl(two)), (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("failOverReadOnly=false");

    inbox(pool(p -> p.setJdbcUrl(two + "?failOverReadOnly=false")), (received, tx) -> {}).check();
    String one = database().jdbcUrl().replaceFirst("//([^/:]+):([^/]+)/", "//(host=$1,port=$2)/");
    inbox(pool(p -> p.setJdbcUrl(one)), (received, tx) -> {}).check();
  }

  /** With it a server refuses to change rows that are not found by a key. */
  @Test
  void runsWithSafeUpdates() {
    DSLContext dsl = pool(p -> p.setConnectionInitSql("SET sql_safe_updates = 1"));
    Inbox inbox = inbox(dsl, (received, tx) -> count(tx, "A"));
    inbox.check();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(inbox.receive(message).isDuplicate()).isTrue();

    try (Janitor janitor =
        Janitor.builder(dsl, new MySqlDialect())
            .group(group, Retention.ofDays(7).byWallClock())
            .build()) {
      janitor.check();
      assertThat(janitor.pass()).isFalse();
      assertThat(janitor.retireQueue(group, "T", new QueueId("broker-a", 0))).isFalse();
    }

    InboxSchema schema = InboxSchema.ofConnection();
    short scopeId =
        dsl.select(schema.inbox().scopeId)
            .from(schema.inbox())
            .where(scopeOf(group))
            .fetchSingle(schema.inbox().scopeId);
    PurgeBatch all =
        new PurgeBatch(scopeId, RowState.PROCESSED, Instant.EPOCH, Instant.now().plusSeconds(9), 9);
    assertThat(dsl.<Integer>connectionResult(c -> new MySqlDialect().purge(c, schema, all)))
        .isEqualTo(1);
  }

  /** MariaDB's driver sees it by itself, and sets it right. */
  @Test
  void refusesAPoolThatSetsAutocommitBehindTheDriversBack() {
    DSLContext dsl =
        pool(
            p -> {
              p.setAutoCommit(false);
              p.setConnectionInitSql("SET autocommit = 1");
            });

    assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("autocommit");
  }
}
