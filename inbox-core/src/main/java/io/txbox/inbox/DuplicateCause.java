package io.txbox.inbox;

/** Says why a message was not new. */
public enum DuplicateCause {
  /** The same message id: the broker or the producer's client delivered a copy. */
  REDELIVERY,
  /** Another message id: the sender's code sent it again. */
  RESENT,
  /**
   * Another body: either the sender changed it in a resend, or two different messages have one key.
   * The one that came second was not handled.
   */
  CONFLICT
}
