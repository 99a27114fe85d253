package io.txbox.mysql;

import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.PurgeClockContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbPurgeClockIT extends PurgeClockContract {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mariadb().schema(Migrations::migrate);

  @Override
  protected TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  protected StoreDialect dialect() {
    return new MySqlDialect();
  }
}
