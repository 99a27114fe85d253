package io.txbox.mysql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.SetupException;
import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbDialectIT extends MySqlTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mariadb().schema(Migrations::migrate);

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  String urlByTheOtherDriver(String url) {
    return url.replace("jdbc:mariadb:", "jdbc:mysql:");
  }

  @Test
  void heedsThatABackslashIsNoEscape() {
    assertHolds(pool(p -> p.setConnectionInitSql("SET sql_mode = 'NO_BACKSLASH_ESCAPES'")));
  }

  /** MySQL purges with it. */
  @Test
  void refusesSafeUpdates() {
    DSLContext dsl = pool(p -> p.setConnectionInitSql("SET sql_safe_updates = 1"));

    assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("sql_safe_updates=1");
  }
}
