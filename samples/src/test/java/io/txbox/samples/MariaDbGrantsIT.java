package io.txbox.samples;

import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbGrantsIT extends MySqlGrantsTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mariadb();

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }
}
