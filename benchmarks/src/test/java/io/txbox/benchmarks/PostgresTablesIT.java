package io.txbox.benchmarks;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresTablesIT extends TablesTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  PostgresTablesIT() {
    super(Database.POSTGRES, DATABASE.database().dsl());
  }
}
