package io.txbox.migrations;

import org.jspecify.annotations.Nullable;

/** Thrown if a statement failed for a reason that is none of the others; the cause says which. */
public final class MigrationFailedException extends MigrationException {

  MigrationFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
