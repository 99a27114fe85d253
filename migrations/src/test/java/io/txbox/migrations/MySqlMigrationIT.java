package io.txbox.migrations;

import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlMigrationIT extends MySqlTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mysql();

  @Override
  TestDatabase server() {
    return DATABASE.database();
  }

  @Override
  String urlByTheOtherDriver(String url) {
    return url.replace("jdbc:mysql:", "jdbc:mariadb:");
  }
}
