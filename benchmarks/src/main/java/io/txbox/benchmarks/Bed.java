package io.txbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.txbox.migrations.Migrations;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.TestDatabase;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * What measurements lie on: a pool of {@link Settings#THREADS} connections, and all that uses it.
 *
 * @param dsl on the pool, past the counting
 */
record Bed(
    CountedConnections connections,
    DSLContext dsl,
    Tables tables,
    Topics topics,
    Consumers consumers) {
  /** Migrates the database, and creates the tables. */
  static Bed of(TestBroker broker, TestDatabase database, Settings settings) {
    HikariDataSource pool =
        database.dataSource(
            config -> {
              config.setMaximumPoolSize(Settings.THREADS);
              config.setMinimumIdle(Settings.THREADS);
              settings.tune(config);
            });
    Migrations.migrate(pool);
    CountedConnections connections = new CountedConnections(pool);
    DSLContext dsl = DSL.using(pool, database.dialect());
    return new Bed(
        connections,
        dsl,
        Tables.create(settings.database(), dsl),
        new Topics(broker),
        new Consumers(broker.nameServer(), DSL.using(connections, database.dialect()), settings));
  }
}
