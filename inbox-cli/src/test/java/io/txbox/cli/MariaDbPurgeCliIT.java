package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.migrations.Migrations;
import io.txbox.mysql.MySqlDialect;
import io.txbox.testkit.database.DatabaseExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jar with MariaDB, by either driver, and without a broker. */
class MariaDbPurgeCliIT {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mariadb().schema(Migrations::migrate);

  private final Jar jar;
  private final Rows rows =
      new Rows(DATABASE.database().dsl(), new MySqlDialect(), "accounts", "PAYMENT");

  MariaDbPurgeCliIT(@TempDir Path folder) {
    jar = new Jar(folder, DATABASE.database());
  }

  @Test
  void purgesByTheTimeOfDay() throws Exception {
    rows.add(3, Instant.now().minus(Duration.ofDays(30)));
    rows.add(2, Instant.now());
    String options = "purge --group accounts --retention 7d --by-wall-clock ";

    Jar.Ended dryRun = jar.run(options + "--dry-run");
    assertThat(dryRun.code()).as(dryRun.output()).isZero();
    assertThat(dryRun.output()).contains("3 rows could go once the horizon");
    Jar.Ended byMySqlDriver =
        jar.runOn(
            DATABASE.database().jdbcUrl().replace("jdbc:mariadb:", "jdbc:mysql:"),
            options + "--dry-run");
    assertThat(byMySqlDriver.code()).as(byMySqlDriver.output()).isZero();
    assertThat(rows.count()).isEqualTo(5);

    Jar.Ended purge = jar.run(options);
    assertThat(purge.code()).as(purge.output()).isZero();
    assertThat(purge.output()).contains("Done: purged 3 rows");
    assertThat(rows.count()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mariadb:", "jdbc:mysql:"})
  void saysWhatIsWrongWithADatabaseThatAnswers(String scheme) throws Exception {
    String url = DATABASE.database().jdbcUrl().replace("jdbc:mariadb:", scheme);
    String server = url.replaceFirst("/[^/]*$", "/");
    String options = "purge --group accounts --retention 7d --by-wall-clock";

    Jar.Ended unknown = jar.runOn(server + "nowhere", options);
    Jar.Ended denied = jar.runOn(server + "nowhere?user=nobody&password=secret", options);
    Jar.Ended refused = jar.runOn(server.replaceFirst(":\\d+/", ":1/") + "nowhere", options);
    Jar.Ended none = jar.runOn(server, options);

    assertThat(unknown.code()).as(unknown.output()).isEqualTo(1);
    assertThat(unknown.output()).contains("/nowhere cannot be used: ", "Unknown database");
    assertThat(denied.code()).as(denied.output()).isEqualTo(1);
    assertThat(denied.output()).contains("/nowhere cannot be used: ").doesNotContain("secret");
    assertThat(refused.output()).contains(":1/nowhere does not answer: ");
    assertThat(none.code()).as(none.output()).isEqualTo(2);
    assertThat(none.output()).contains("--url '" + server + "' names no database");
  }
}
