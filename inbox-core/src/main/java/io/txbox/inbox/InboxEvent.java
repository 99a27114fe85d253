package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.DeliveryException;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import java.time.Duration;

/**
 * Tells what happened to a message (invariant COUNTED).
 *
 * <p>Each delivery ends in exactly one {@link Ended} event. {@link Retried} and {@link Busy} may
 * come before it, any number of times.
 */
public sealed interface InboxEvent {
  /** Returns the message as it was delivered. */
  InboxMessage message();

  /** The end of a delivery. */
  sealed interface Ended extends InboxEvent {}

  /**
   * The handler ran and its transaction is committed.
   *
   * @param elapsed the time from delivery to commit, with all retries
   */
  record Processed(InboxMessage message, DedupKey key, Duration elapsed) implements Ended {}

  /** A committed row for the key was seen; the handler did not run. */
  record Duplicate(InboxMessage message, DedupKey key, DuplicateCause cause) implements Ended {}

  /** The message has no usable key; the handler did not run. It is not acknowledged. */
  record KeyRefused(InboxMessage message, KeyRefusedException failure) implements Ended {}

  /** The delivery failed and was rolled back. It is not acknowledged and uses an attempt. */
  record Failed(InboxMessage message, DedupKey key, DeliveryException failure) implements Ended {}

  /**
   * A transient error of the database was met; the whole transaction runs again at once.
   *
   * @param retry which retry this is, from 1
   */
  record Retried(InboxMessage message, DedupKey key, int retry, Throwable cause)
      implements InboxEvent {}

  /**
   * Another transaction works on the key; this delivery goes on waiting for it.
   *
   * @param waited for how long it has waited
   */
  record Busy(InboxMessage message, DedupKey key, Duration waited) implements InboxEvent {}
}
