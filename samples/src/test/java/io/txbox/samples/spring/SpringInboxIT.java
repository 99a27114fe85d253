package io.txbox.samples.spring;

import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.InboxContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine, when Spring holds the transaction. */
class SpringInboxIT extends InboxContract {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Override
  protected TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  protected StoreDialect dialect() {
    return new PostgresDialect();
  }

  @Override
  protected DSLContext dsl(DataSource pool) {
    return SpringJooq.dsl(pool);
  }
}
