package io.txbox.mysql;

import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.LaneIsolationContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlLaneIsolationIT extends LaneIsolationContract {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mysql().schema(Migrations::migrate);

  @Override
  protected TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  protected StoreDialect dialect() {
    return new MySqlDialect();
  }

  /** What could hide a table is refused; these leave something behind, or may do so. */
  @Override
  protected List<String> spoilingTheTransaction() {
    return List.of("SET @spoiled = 1", "DO SLEEP(0)");
  }

  @Override
  protected void breakConnectionOf(DSLContext tx) {
    MySqlTests.breakConnectionOf(tx, database());
  }
}
