package io.txbox.benchmarks;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbTablesIT extends TablesTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mariadb().schema(Migrations::migrate);

  MariaDbTablesIT() {
    super(Database.MARIADB, DATABASE.database().dsl());
  }
}
