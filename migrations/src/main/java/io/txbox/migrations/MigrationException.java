package io.txbox.migrations;

import org.jspecify.annotations.Nullable;

/** Says why the schema could not be migrated, read, or used. Its subtypes carry the facts. */
public abstract sealed class MigrationException extends RuntimeException
    permits SchemaMismatchException,
        SchemaMissingException,
        TableTakenException,
        ChangelogLockedException,
        MissingRightsException,
        UnsupportedDatabaseException,
        MigrationFailedException {

  MigrationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
