package io.txbox.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a run is made.
 *
 * @param driver properties of the JDBC driver, or null for those of the database
 * @param warmUp rounds that are not counted
 * @param rounds rounds that are
 * @param messages of the long topic; the short ones have a quarter and a tenth
 * @param lanes how many lanes there are at most, or null for 64
 * @param batch how many messages share a transaction at most, or the consumer's default
 */
record Settings(
    Database database,
    @Nullable Map<String, String> driver,
    List<Case> cases,
    int warmUp,
    int rounds,
    int messages,
    @Nullable Integer lanes,
    @Nullable Integer batch) {
  /** The client's default number of threads, and the pool's connections. */
  static final int THREADS = 20;

  private static final int DEFAULT_LANES = 8;

  /** Sets the driver's properties. */
  void tune(HikariConfig pool) {
    if (driver == null) {
      database.tune(pool);
    } else {
      driver.forEach(pool::addDataSourceProperty);
    }
  }

  /** Returns how many messages a case takes: enough to be measured, and not for too long. */
  int messagesOf(Case measured) {
    if (measured.cost() == Cost.WAIT) {
      return messages / 10;
    }
    return measured.arm().sharesTransactions() ? messages : messages / 4;
  }

  /** Returns how many connections lanes may use. */
  int laneConnections() {
    return lanes == null ? DEFAULT_LANES : lanes;
  }
}
