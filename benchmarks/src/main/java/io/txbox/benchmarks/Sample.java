package io.txbox.benchmarks;

import java.time.Duration;

/**
 * What one case came to in one round.
 *
 * @param round counted from 1
 * @param elapsed from the first message to the last
 * @param connections how many were in use at once, at most
 * @param transactions how often a connection was taken
 * @param again how many messages ended once more than they should
 */
record Sample(
    int round,
    Case measured,
    int messages,
    Duration elapsed,
    int connections,
    int transactions,
    int again) {
  double perSecond() {
    return messages * 1e9 / elapsed.toNanos();
  }

  double perTransaction() {
    return (double) messages / transactions;
  }
}
