package io.txbox.migrations;

/**
 * Thrown if the schema (on MySQL: the database) does not exist. It is never created by a migration.
 */
public final class SchemaMissingException extends MigrationException {

  SchemaMissingException(String message) {
    super(message, null);
  }
}
