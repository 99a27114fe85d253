package io.txbox;

/** Says that the handler threw; all that it wrote through its transaction was rolled back. */
public final class HandlerFailedException extends DeliveryException {
  /** Makes an exception with what the handler threw as its cause. */
  public HandlerFailedException(InboxMessage delivered, Throwable cause) {
    super(delivered, "The handler failed: " + cause, cause);
  }
}
