package io.txbox.samples;

import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlGrantsIT extends MySqlGrantsTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.mysql();

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }
}
