package io.txbox.testkit.database;

import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbIT extends MySqlServerTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mariadb();

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }
}
