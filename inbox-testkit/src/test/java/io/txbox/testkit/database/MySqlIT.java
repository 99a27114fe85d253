package io.txbox.testkit.database;

import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlIT extends MySqlServerTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mysql();

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }
}
