package io.txbox.migrations;

import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbMigrationIT extends MySqlTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mariadb();

  @Override
  TestDatabase server() {
    return DATABASE.database();
  }

  @Override
  String urlByTheOtherDriver(String url) {
    return url.replace("jdbc:mariadb:", "jdbc:mysql:");
  }
}
