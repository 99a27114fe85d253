package io.txbox.store;

/** Says what an SQL error means for the message that met it. */
public enum FailureKind {
  /** A deadlock or a serialization failure: the whole transaction again, at once. */
  TRANSIENT,
  /** A lock was not to be had in time: like {@link #TRANSIENT}; for a claim, the key is busy. */
  LOCK_TIMEOUT,
  /** The statement was cancelled or ran out of time. For a claim, the key is busy. */
  CANCELLED,
  /** The database is down, read-only, full, or failing over: no fault of the message. */
  OUTAGE,
  /**
   * The transaction that holds the inbox rows ended before its commit. What of it was committed
   * cannot be known: neither rows nor effects that are found later prove anything.
   */
  BROKEN_OFF,
  /** Everything else: the message's own failure. */
  PERMANENT;

  /** Says whether the same transaction may succeed if it runs again at once. */
  public boolean mayPass() {
    return this == TRANSIENT || this == LOCK_TIMEOUT;
  }

  /** Says whether a statement ended since it had waited for too long. */
  public boolean isWaitThatEnded() {
    return this == LOCK_TIMEOUT || this == CANCELLED;
  }
}
