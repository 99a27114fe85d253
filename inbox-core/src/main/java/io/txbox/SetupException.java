package io.txbox;

import org.jspecify.annotations.Nullable;

/**
 * Says what stands in the way of a start, and what to do about it: a database that is not the
 * dialect's, a missing schema, too few connections, a broker whose settings lose messages.
 *
 * <p>Nothing was started or consumed when it is thrown.
 */
public final class SetupException extends TxboxException {
  /** Makes an exception with a message that names the setting, its value and what to do. */
  public SetupException(String message) {
    super(message, null);
  }

  /** The same, with the cause. */
  public SetupException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
