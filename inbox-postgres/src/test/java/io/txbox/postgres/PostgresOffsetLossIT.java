package io.txbox.postgres;

import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.OffsetLossContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresOffsetLossIT extends OffsetLossContract {
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

  // After, not before: a row that ON CONFLICT DO NOTHING does not insert fires the latter too.
  @Override
  protected void refuseWrites(String table) {
    DSLContext dsl = database().dsl();
    dsl.execute(
        "create or replace function refuse_write() returns trigger language plpgsql as"
            + " $$begin raise 'written to %', tg_table_name; end$$");
    dsl.execute(
        "create or replace trigger refuse_write after insert or update or delete on {0}"
            + " for each row execute function refuse_write()",
        DSL.table(DSL.name(table)));
  }

  @Override
  protected void allowWrites(String table) {
    database()
        .dsl()
        .execute("drop trigger if exists refuse_write on {0}", DSL.table(DSL.name(table)));
  }

  /** With the transactions that wrote or locked each row, and where it lies. */
  @Override
  protected List<Record> rows(String table) {
    return database()
        .dsl()
        .fetch(
            "select ctid::text, xmin::text, xmax::text, t.* from {0} t order by ctid",
            DSL.table(DSL.name(table)));
  }
}
