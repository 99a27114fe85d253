package io.txbox.inbox;

/** Says what becomes of a message that has failed at as many attempts as it may have. */
public enum ExhaustedPolicy {
  /** It is tried again for as long as it is delivered: in an orderly consumer, for ever. */
  BLOCK,
  /**
   * It is parked, with its payload, for somebody to decide, and those behind it go on: they
   * overtake it.
   */
  PARK,
  /**
   * It is parked, and so are those that come later with the same ordering key, for as long as it
   * is: none overtakes it. Other ordering keys go on.
   */
  PARK_SEQUENCE
}
