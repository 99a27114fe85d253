package io.txbox.benchmarks;

import java.time.Duration;

/**
 * What one arm came to in one round.
 *
 * @param round counted from 1
 * @param messages how many were consumed, in how long
 */
record PurgeSample(int round, PurgeArm arm, int messages, Duration elapsed, Purger.Purged purged) {
  double messagesPerSecond() {
    return elapsed.isZero() ? 0 : messages * 1e9 / elapsed.toNanos();
  }
}
