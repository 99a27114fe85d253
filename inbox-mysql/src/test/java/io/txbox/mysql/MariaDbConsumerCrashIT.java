package io.txbox.mysql;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.ConsumerCrashContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbConsumerCrashIT extends ConsumerCrashContract {
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

  @Override
  protected Class<?> consumerMain() {
    return MySqlConsumerMain.class;
  }

  @Override
  protected void sendPlainCommits(HikariConfig pool) {
    // They are, by default.
  }

  // READ COMMITTED is none: a byte of the protocol goes before the word.
  @Override
  protected byte[] commitOnTheWire() {
    return "\u0003COMMIT".getBytes(StandardCharsets.US_ASCII);
  }
}
