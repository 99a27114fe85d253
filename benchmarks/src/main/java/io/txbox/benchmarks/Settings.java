package io.txbox.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a run is made.
 *
 * @param warmUp rounds that are not counted
 * @param rounds rounds that are
 * @param messages of the long topic; the short ones have a quarter and a tenth
 * @param lanes how many lanes there are at most, or null for 64
 * @param batch how many messages share a transaction at most, or the consumer's default
 */
record Settings(
    List<Case> cases,
    int warmUp,
    int rounds,
    int messages,
    @Nullable Integer lanes,
    @Nullable Integer batch) {
  /** The client's default number of threads, and the pool's connections. */
  static final int THREADS = 20;

  private static final int DEFAULT_LANES = 8;

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
