package io.txbox.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.QueueId;
import io.txbox.SetupException;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.Inbox;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.QueueProgress;
import io.txbox.janitor.Retention;
import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
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

/** Runs an inbox as a user who has the rights of docs/operations.md, and no others. */
abstract class GrantsTests {
  private static final Pattern GRANT =
      Pattern.compile("GRANT (?<rights>.+) ON txbox\\.(?<table>\\w+) TO (?<user>.+);");

  /** Returns the database under test. */
  abstract TestDatabase database();

  abstract StoreDialect dialect();

  /** Returns the user's name, as GRANT takes it. */
  abstract String user();

  abstract void createUser(DSLContext owner);

  abstract void dropUser(DSLContext owner);

  abstract void dropSchema(DSLContext owner);

  /** Returns the address where the user may connect. */
  abstract String jdbcUrl();

  @BeforeEach
  void createUserAndSchema() {
    createUser(owner());
    owner().execute("create schema txbox");
    Migrations.migrate(database().dataSource(), "txbox");
  }

  @AfterEach
  void dropSchemaAndUser() {
    dropSchema(owner());
    dropUser(owner());
  }

  @Test
  void theGrantsThatThePageNamesAreEnoughAndNecessary() throws IOException {
    List<String> grants = grants();
    for (String missing : grants) {
      grants.stream().filter(grant -> !grant.equals(missing)).forEach(owner()::execute);
      assertThat(handles("without " + missing)).as("without %s", missing).isFalse();
      dropUser(owner());
      createUser(owner());
    }

    grants.forEach(owner()::execute);

    assertThat(handles("a")).isTrue();
    assertThat(handles("b")).isTrue();
  }

  @Test
  void aRightThatIsMissingIsNamedBeforeAnythingStarts() throws IOException {
    grants().forEach(owner()::execute);
    try (HikariDataSource pool = pool()) {
      for (String grant : grants()) {
        Matcher of = GRANT.matcher(grant);
        if (of.matches() && !of.group("table").equals("inbox_schema")) {
          for (String right : of.group("rights").split(", ", -1)) {
            assertNamed(right, of.group("table"), pool);
          }
        }
      }

      assertThatCode(() -> check(pool)).doesNotThrowAnyException();
    }
  }

  private void assertNamed(String right, String table, HikariDataSource pool) {
    owner().execute("revoke " + right + " on txbox." + table + " from " + user());

    assertThatThrownBy(() -> check(pool))
        .isInstanceOf(SetupException.class)
        .hasMessageContaining(right + " on " + table)
        .hasMessageContaining("docs/operations.md");

    owner().execute("grant " + right + " on txbox." + table + " to " + user());
  }

  void check(HikariDataSource pool) {
    DSLContext dsl = database().dsl(pool);
    inbox(dsl).check();
    try (Janitor janitor = janitor(dsl)) {
      janitor.check();
    }
  }

  /** Returns the statements that the page names for this kind of database. */
  List<String> grants() throws IOException {
    Matcher block =
        Pattern.compile(
                "<!-- run by [^\n]*\\b"
                    + getClass().getSimpleName()
                    + "\\b[^\n]* -->\n```sql\n(.*?)```",
                Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/operations.md")));
    assertThat(block.find()).isTrue();
    return block.group(1).lines().toList();
  }

  /**
   * Says whether the user can do all that a consumer does: verify, handle, see a duplicate, park,
   * purge.
   */
  private boolean handles(String key) {
    try (HikariDataSource pool = pool()) {
      Migrations.verify(pool, "txbox");
      DSLContext dsl = database().dsl(pool);
      Inbox inbox = inbox(dsl);
      InboxMessage message = InboxMessage.builder("PAYMENT").keys(key).build();
      return inbox.receive(message).isProcessed()
          && inbox.receive(message).isDuplicate()
          && inbox.receive(InboxMessage.builder("REFUND").keys(key).build()).isParked()
          && purges(dsl);
    } catch (RuntimeException e) {
      return false;
    }
  }

  private Inbox inbox(DSLContext dsl) {
    return Inbox.builder("payments", dsl, dialect())
        .schema("txbox")
        .handler("PAYMENT", DedupKeys.keys(), (message, tx) -> {})
        .handler(
            "REFUND",
            DedupKeys.keys(),
            (message, tx) -> {
              throw new IllegalStateException("for ever");
            },
            route ->
                route.orderingKey(InboxMessage::keys).maxAttempts(1, ExhaustedPolicy.PARK_SEQUENCE))
        .build();
  }

  private boolean purges(DSLContext dsl) {
    try (Janitor janitor = janitor(dsl)) {
      return !janitor.pass();
    }
  }

  private Janitor janitor(DSLContext dsl) {
    return Janitor.builder(dsl, dialect())
        .schema("txbox")
        .group("payments", Retention.ofDays(7), new NoLag())
        .build();
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

  private DSLContext owner() {
    return database().dsl();
  }

  HikariDataSource pool() {
    return database()
        .dataSource(
            config -> {
              config.setJdbcUrl(jdbcUrl());
              config.setUsername("payments_service");
              config.setPassword("secret");
            });
  }
}
