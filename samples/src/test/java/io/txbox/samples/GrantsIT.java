package io.txbox.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.QueueId;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.Inbox;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.QueueProgress;
import io.txbox.janitor.Retention;
import io.txbox.migrations.Migrations;
import io.txbox.migrations.MissingRightsException;
import io.txbox.postgres.PostgresDialect;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs an inbox as a role that has the rights of docs/operations.md, and no others. */
class GrantsIT {
  private static final Pattern GRANTS =
      Pattern.compile("<!-- run by GrantsIT -->\n```sql\n(.*?)```", Pattern.DOTALL);

  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.postgres();

  private final TestDatabase database = DATABASE.database();

  @BeforeEach
  void createRoleAndSchema() {
    database.dsl().execute("create role payments_service login password 'secret'");
    database.dsl().execute("create schema txbox");
    Migrations.migrate(database.dataSource(), "txbox");
  }

  @AfterEach
  void dropSchemaAndRole() {
    database.dsl().execute("drop schema txbox cascade");
    database.dsl().execute("drop owned by payments_service");
    database.dsl().execute("drop role payments_service");
  }

  @Test
  void theGrantsThatThePageNamesAreEnoughAndNecessary() throws IOException {
    List<String> grants = grants();
    for (String missing : grants) {
      grants.stream().filter(grant -> !grant.equals(missing)).forEach(database.dsl()::execute);
      assertThat(handles("without " + missing)).as("without %s", missing).isFalse();
      database.dsl().execute("drop owned by payments_service");
    }

    grants.forEach(database.dsl()::execute);

    assertThat(handles("a")).isTrue();
    assertThat(handles("b")).isTrue();
  }

  @Test
  void withTheGrantsTheRoleStartsWhatIsMigratedButMigratesNothing() throws IOException {
    for (String grant : grants()) {
      database.dsl().execute(grant);
    }
    try (HikariDataSource pool = pool()) {
      Migrations.migrate(pool, "txbox");

      database.dsl().execute("delete from txbox.inbox_schema");
      assertThatThrownBy(() -> Migrations.migrate(pool, "txbox"))
          .isInstanceOfSatisfying(
              MissingRightsException.class, e -> assertThat(e.role()).isEqualTo("payments_service"))
          .hasMessageContaining("GRANT USAGE, CREATE ON SCHEMA \"txbox\" TO \"payments_service\"");
      assertThatThrownBy(() -> Migrations.builder(pool).schema("txbox").build().rollback())
          .isInstanceOf(MissingRightsException.class);
    }
  }

  private static List<String> grants() throws IOException {
    Matcher block = GRANTS.matcher(Files.readString(Path.of("../docs/operations.md")));
    assertThat(block.find()).isTrue();
    return block.group(1).lines().toList();
  }

  /**
   * Says whether the role can do all that a consumer does: verify, handle, see a duplicate, park,
   * purge.
   */
  private boolean handles(String key) {
    try (HikariDataSource pool = pool()) {
      Migrations.verify(pool, "txbox");
      DSLContext dsl = database.dsl(pool);
      Inbox inbox =
          Inbox.builder("payments", dsl, new PostgresDialect())
              .schema("txbox")
              .handler("PAYMENT", DedupKeys.keys(), (message, tx) -> {})
              .handler(
                  "REFUND",
                  DedupKeys.keys(),
                  (message, tx) -> {
                    throw new IllegalStateException("for ever");
                  },
                  route ->
                      route
                          .orderingKey(InboxMessage::keys)
                          .maxAttempts(1, ExhaustedPolicy.PARK_SEQUENCE))
              .build();
      InboxMessage message = InboxMessage.builder("PAYMENT").keys(key).build();
      return inbox.receive(message).isProcessed()
          && inbox.receive(message).isDuplicate()
          && inbox.receive(InboxMessage.builder("REFUND").keys(key).build()).isParked()
          && purges(dsl);
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static boolean purges(DSLContext dsl) {
    try (Janitor janitor =
        Janitor.builder(dsl, new PostgresDialect())
            .schema("txbox")
            .group("payments", Retention.ofDays(7), new NoLag())
            .build()) {
      return !janitor.pass();
    }
  }

  /** Tells of one queue, all of which is consumed. */
  private static final class NoLag implements GroupProgress {
    @Override
    public List<QueueProgress> queues() {
      return List.of(
          new QueueProgress(
              "PAYMENT", new QueueId("broker-a", 0), false, Optional.of(Instant.now())));
    }

    @Override
    public BrokerTimes times() {
      return new BrokerTimes(
          Duration.ofHours(72), Duration.ofHours(5), 16, Duration.ofDays(3), Optional.empty());
    }

    @Override
    public void close() {}
  }

  private HikariDataSource pool() {
    return database.dataSource(
        config -> {
          config.setUsername("payments_service");
          config.setPassword("secret");
        });
  }
}
