package io.txbox.benchmarks;

import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jooq.impl.DataSourceConnectionProvider;
import org.jspecify.annotations.Nullable;

/** Counts how many connections are in use at once, and how often one is taken. Thread-safe. */
final class CountedConnections extends DataSourceConnectionProvider {
  private final AtomicInteger inUse = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final AtomicInteger taken = new AtomicInteger();

  CountedConnections(DataSource pool) {
    super(pool);
  }

  @Override
  public @Nullable Connection acquire() {
    Connection connection = super.acquire();
    taken.incrementAndGet();
    peak.accumulateAndGet(inUse.incrementAndGet(), Math::max);
    return connection;
  }

  @Override
  public void release(Connection connection) {
    inUse.decrementAndGet();
    super.release(connection);
  }

  /** Begins to count anew: what a consumer takes to check its pool is not counted. */
  void reset() {
    peak.set(inUse.get());
    taken.set(0);
  }

  int peak() {
    return peak.get();
  }

  int taken() {
    return taken.get();
  }
}
