package io.txbox.store;

/** Says why a message was parked. The name is what the database holds. */
public enum ParkReason {
  /** It is so old that it may be a copy of a message whose row is purged. */
  LATE,
  /** It has failed at as many attempts as it may have. */
  EXHAUSTED,
  /** It follows, by its ordering key, one that is parked. */
  SEQUENCE
}
