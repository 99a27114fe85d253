package io.txbox.testkit.database;

import org.jspecify.annotations.Nullable;

/** There is no database server, and none can be started here; the message says what to do. */
public final class MissingServerException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MissingServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
