package io.txbox.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.migrations.Migrations;
import io.txbox.migrations.MissingRightsException;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.io.IOException;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresGrantsIT extends GrantsTests {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.postgres();

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  StoreDialect dialect() {
    return new PostgresDialect();
  }

  @Override
  String user() {
    return "payments_service";
  }

  @Override
  void createUser(DSLContext owner) {
    owner.execute("create role payments_service login password 'secret'");
  }

  @Override
  void dropUser(DSLContext owner) {
    owner.execute("drop owned by payments_service");
    owner.execute("drop role payments_service");
  }

  @Override
  void dropSchema(DSLContext owner) {
    owner.execute("drop schema txbox cascade");
  }

  @Override
  String jdbcUrl() {
    return database().jdbcUrl();
  }

  @Test
  void withTheGrantsTheRoleStartsWhatIsMigratedButMigratesNothing() throws IOException {
    grants().forEach(database().dsl()::execute);
    try (HikariDataSource pool = pool()) {
      Migrations.migrate(pool, "txbox");

      database().dsl().execute("delete from txbox.inbox_schema");
      assertThatThrownBy(() -> Migrations.migrate(pool, "txbox"))
          .isInstanceOfSatisfying(
              MissingRightsException.class, e -> assertThat(e.role()).isEqualTo("payments_service"))
          .hasMessageContaining("GRANT USAGE, CREATE ON SCHEMA \"txbox\" TO \"payments_service\"");
      assertThatThrownBy(() -> Migrations.builder(pool).schema("txbox").build().rollback())
          .isInstanceOf(MissingRightsException.class);
    }
  }

  @Test
  void rightsOnTheColumnsThatAreWrittenAreEnough() throws IOException {
    grants().forEach(database().dsl()::execute);
    database().dsl().execute("revoke insert, update on txbox.inbox_scope from payments_service");
    database()
        .dsl()
        .execute(
            "grant insert (consumer_group, scope, created_at), update (horizon, margin,"
                + " horizon_announced_at, purge_horizon) on txbox.inbox_scope to payments_service");

    try (HikariDataSource pool = pool()) {
      assertThatCode(() -> check(pool)).doesNotThrowAnyException();
    }
  }
}
