package io.txbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.TestDatabase;
import java.io.PrintWriter;
import java.util.List;
import org.jooq.DSLContext;

/** Measures how many bytes a row of the inbox takes, with its places in the indexes. */
record CapacityRun(TestDatabase server, Database database, long count) {
  private static final List<Integer> KEY_LENGTHS = List.of(36, 128);

  void print(PrintWriter out) {
    out.println("| keys of        | row, bytes | indexes beside, bytes | together |");
    out.println("|----------------|-----------:|----------------------:|---------:|");
    HikariDataSource pool = server.dataSource(config -> {});
    Migrations.migrate(pool);
    DSLContext dsl = server.dsl(pool);
    for (int length : KEY_LENGTHS) {
      Rows rows = new Rows(database, dsl, length);
      dsl.execute("truncate table inbox");
      rows.fill((short) 1, count);
      rows.tidy();
      Rows.Size size = rows.size();
      out.printf(
          "| %3d characters | %10.0f | %21.0f | %8.0f |%n",
          length,
          (double) size.table() / count,
          (double) size.indexes() / count,
          (double) size.total() / count);
    }
    out.flush();
  }
}
