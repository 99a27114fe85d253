package io.txbox;

import org.jspecify.annotations.Nullable;

/**
 * Says that the handler returned normally but its transaction must not be committed: it swallowed
 * an SQL error, or tried to end the transaction by itself. All was rolled back.
 */
public final class TransactionRefusedException extends DeliveryException {
  /** Makes an exception that says what the handler did and what to do instead. */
  public TransactionRefusedException(
      InboxMessage delivered, String what, @Nullable Throwable cause) {
    super(delivered, what, cause);
  }
}
