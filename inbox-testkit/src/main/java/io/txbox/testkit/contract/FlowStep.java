package io.txbox.testkit.contract;

/**
 * The steps of a message's way through a consumer, in order: where a {@link Halt} stops it, or what
 * has happened last when it is stopped.
 */
enum FlowStep {
  /** The client has handed the message over; nothing was asked of the database. */
  RECEIVED,
  /** There is no scope row, and none is inserted yet. */
  SCOPE_MISSING,
  /** The scope row is inserted, and not committed. */
  SCOPE_INSERTED,
  /** The scope row is committed. */
  SCOPE_COMMITTED,
  /** The transaction has begun. */
  BEGUN,
  /** The inbox row is inserted. */
  CLAIMED,
  /** The handler was called, and has done nothing yet. */
  HANDLER_CALLED,
  /** The handler's first statement is done, and its second is not. */
  BETWEEN_STATEMENTS,
  /** The handler's last statement is done. */
  STATEMENTS_DONE,
  /** The handler has returned, and COMMIT is not sent. */
  HANDLER_RETURNED,
  /** COMMIT is sent, and has not reached the database. */
  COMMIT_SENT,
  /** The database has committed, and its answer has not reached the consumer. */
  COMMIT_DONE,
  /** COMMIT has returned. */
  COMMIT_RETURNED,
  /** The listener was told. */
  LISTENER_TOLD,
  /** The client has the consumer's answer, and has done nothing with it. */
  ANSWERED,
  /** The message is acknowledged in the client; the broker does not know. */
  ACKNOWLEDGED,
  /** The broker has the offset. */
  OFFSET_STORED;

  /** Says whether the message is committed by then. */
  boolean isCommitted() {
    return compareTo(COMMIT_DONE) >= 0;
  }
}
