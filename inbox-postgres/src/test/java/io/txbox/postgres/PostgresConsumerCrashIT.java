package io.txbox.postgres;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.ConsumerCrashContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresConsumerCrashIT extends ConsumerCrashContract {
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
  protected Class<?> consumerMain() {
    return PostgresConsumerMain.class;
  }

  @Override
  protected void sendPlainCommits(HikariConfig pool) {
    pool.addDataSourceProperty("prepareThreshold", "0");
  }
}
