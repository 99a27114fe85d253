package io.txbox;

import org.jspecify.annotations.Nullable;

/**
 * Says that a delivery came to no end: nothing of it was committed as far as is known, and it is
 * not acknowledged. Only a receipt acknowledges a message.
 */
public abstract sealed class DeliveryException extends TxboxException
    permits KeyRefusedException,
        HandlerFailedException,
        TransactionRefusedException,
        DatabaseFailedException {
  private final transient InboxMessage delivered;

  DeliveryException(InboxMessage delivered, String what, @Nullable Throwable cause) {
    super(what + " [" + delivered + "]", cause);
    this.delivered = delivered;
  }

  /** Returns the message whose delivery failed. */
  public InboxMessage delivered() {
    return delivered;
  }
}
