package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

class MigrationsTest {

  private final JdbcDataSource unknown = new JdbcDataSource();

  MigrationsTest() {
    unknown.setURL("jdbc:h2:mem:");
  }

  @Test
  void refusesADatabaseThatItDoesNotKnow() {
    assertThatThrownBy(() -> Migrations.migrate(unknown))
        .isInstanceOfSatisfying(
            UnsupportedDatabaseException.class, e -> assertThat(e.product()).startsWith("H2 2."))
        .hasMessageContaining("PostgreSQL, MySQL and MariaDB; this database is H2");
    assertThatThrownBy(() -> Migrations.verify(unknown))
        .isInstanceOf(UnsupportedDatabaseException.class);
  }

  @Test
  void saysThatThereIsNoDatabase() {
    DriverDataSource nobody =
        new DriverDataSource("jdbc:nobody://host/app?password=secret", null, null);

    assertThatThrownBy(() -> Migrations.verify(nobody))
        .isInstanceOf(MigrationFailedException.class)
        .hasMessageContaining(
            "no driver on the class path knows the address jdbc:nobody://host/app.")
        .hasMessageNotContaining("secret");
  }

  @Test
  void refusesWrongSettingsAtOnce() {
    Migrations.Builder builder = Migrations.builder(unknown);

    assertThatThrownBy(() -> builder.schema(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("schema is blank: ' '");
    assertThatThrownBy(() -> builder.lockWait(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lockWait is negative: PT-1S");
  }
}
