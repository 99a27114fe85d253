package io.txbox.mysql;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlReadsIT extends ReadsTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mysql().schema(Migrations::migrate);

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }
}
