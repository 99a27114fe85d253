package io.txbox.store;

/** Says why a message was parked. The name is what the database holds. */
public enum ParkReason {
  /** It is so old that it may be a copy of a message whose row is purged. */
  LATE
}
