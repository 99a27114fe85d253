package io.txbox.migrations;

/** Thrown if a statement failed for a reason that is none of the others; the cause says which. */
public final class MigrationFailedException extends MigrationException {

  MigrationFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
