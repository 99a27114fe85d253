package io.txbox.mysql;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.ConsumerFaultContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlConsumerFaultIT extends ConsumerFaultContract {
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

  @Override
  protected void sendPlainCommits(HikariConfig pool) {
    pool.addDataSourceProperty("sslMode", "DISABLED");
  }

  // READ-COMMITTED is none: a byte of the protocol goes before the word.
  @Override
  protected byte[] commitOnTheWire() {
    return "\u0001COMMIT".getBytes(StandardCharsets.US_ASCII);
  }
}
