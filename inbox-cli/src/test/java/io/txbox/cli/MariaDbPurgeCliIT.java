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
}
