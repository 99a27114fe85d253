package io.txbox;

import org.jspecify.annotations.Nullable;

/** The base of what txbox throws, apart from {@link IllegalArgumentException} for bad arguments. */
public abstract sealed class TxboxException extends RuntimeException
    permits SetupException, DeliveryException {
  TxboxException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
