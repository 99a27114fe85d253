package io.txbox.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.migrations.Migrations;
import io.txbox.migrations.MissingRightsException;
import io.txbox.postgres.PostgresDialect;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
      assertThat(handles("a")).as("without %s", missing).isFalse();
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

  /** Says whether the role can do all that a consumer does: verify, handle, see a duplicate. */
  private boolean handles(String key) {
    try (HikariDataSource pool = pool()) {
      Migrations.verify(pool, "txbox");
      Inbox inbox =
          Inbox.builder("payments", database.dsl(pool), new PostgresDialect())
              .schema("txbox")
              .handler("PAYMENT", DedupKeys.keys(), (message, tx) -> {})
              .build();
      InboxMessage message = InboxMessage.builder("PAYMENT").keys(key).build();
      return inbox.receive(message).isProcessed() && inbox.receive(message).isDuplicate();
    } catch (RuntimeException e) {
      return false;
    }
  }

  private HikariDataSource pool() {
    return database.dataSource(
        config -> {
          config.setUsername("payments_service");
          config.setPassword("secret");
        });
  }
}
