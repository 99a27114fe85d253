package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.DeliveryException;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.janitor.LatePolicy;
import io.txbox.store.ParkReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells what happened to a message, or to the consumption as a whole (invariant COUNTED).
 *
 * <p>Each delivery ends in exactly one {@link Ended} event. {@link Retried} and {@link Busy} may
 * come before it, any number of times.
 */
public sealed interface InboxEvent {
  /** What happened to a message. */
  sealed interface OfMessage extends InboxEvent {
    /** Returns the message as it was delivered. */
    InboxMessage message();
  }

  /** The end of a delivery. */
  sealed interface Ended extends OfMessage {}

  /**
   * The handler ran and its transaction is committed.
   *
   * @param elapsed the time from delivery to commit, with all retries
   */
  record Processed(InboxMessage message, DedupKey key, Duration elapsed) implements Ended {}

  /** A committed row for the key was seen; the handler did not run. */
  record Duplicate(InboxMessage message, DedupKey key, DuplicateCause cause) implements Ended {}

  /**
   * The message was set aside with its payload, for somebody to look at; the handler did not run,
   * or has failed and was rolled back. It is acknowledged.
   *
   * @param failure how it failed for the last time, if it was parked for that
   */
  record Parked(
      InboxMessage message, DedupKey key, ParkReason reason, Optional<DeliveryException> failure)
      implements Ended {}

  /** A policy dropped the message; the handler did not run. It is acknowledged. */
  record Discarded(InboxMessage message, DedupKey key) implements Ended {}

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
      implements OfMessage {}

  /**
   * Another transaction works on the key; this delivery goes on waiting for it.
   *
   * @param waited for how long it has waited
   */
  record Busy(InboxMessage message, DedupKey key, Duration waited) implements OfMessage {}

  /**
   * The message has no row, but is so old that it may be a copy of one whose row was purged. What
   * the policy made of it is committed, and told by the event that follows.
   *
   * @param lateBefore from this message time on it would have been new for sure
   */
  record Late(InboxMessage message, DedupKey key, Instant lateBefore, LatePolicy policy)
      implements OfMessage {}

  /**
   * No further message is taken up, until {@link Resumed} with the same reason. None uses an
   * attempt for it.
   *
   * @param cause what showed that the database is out of order, if that is the reason
   */
  record Paused(PauseReason reason, Optional<Throwable> cause) implements InboxEvent {}

  /**
   * Messages are taken up again, unless there is another reason not to.
   *
   * @param after how long the pause was
   */
  record Resumed(PauseReason reason, Duration after) implements InboxEvent {}

  /** Why no message is taken up. */
  enum PauseReason {
    /** By a call of {@code pause()}. */
    REQUESTED,
    /** The database is out of order; whether it is back is found out by writes of txbox's own. */
    OUTAGE
  }
}
