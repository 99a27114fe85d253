package io.txbox;

/**
 * Says that the database did not answer, or answered with an error outside the handler: it is not
 * known whether the message is new, or whether its commit took effect. The next delivery's claim
 * decides that.
 */
public final class DatabaseFailedException extends DeliveryException {
  /** Makes an exception with the database's error as its cause. */
  public DatabaseFailedException(InboxMessage delivered, String what, Throwable cause) {
    super(delivered, what, cause);
  }
}
