package io.txbox.janitor;

import java.util.List;

/**
 * Says how far a consumer group has consumed, and what its brokers keep and delay at most: a port,
 * which a broker's client implements.
 *
 * <p>Each call asks anew, is bounded in time, and never guesses. Not thread-safe.
 */
public interface GroupProgress extends AutoCloseable {
  /**
   * Asks every broker about each queue that the group consumes, those of its redeliveries too.
   *
   * @return at least one queue for each topic that the group consumes
   * @throws ProgressUnknownException if any broker cannot be asked, or a topic that the group
   *     consumes has no queue in the answer; nothing is known then
   */
  List<QueueProgress> queues() throws ProgressUnknownException;

  /**
   * Asks every broker what it keeps and delays at most.
   *
   * @throws ProgressUnknownException if any broker cannot be asked, or has a setting that cannot be
   *     read
   */
  BrokerTimes times() throws ProgressUnknownException;

  /** Closes the connections. Idempotent. */
  @Override
  void close();
}
