package io.txbox.mysql;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
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
}
