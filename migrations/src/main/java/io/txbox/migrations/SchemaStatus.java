package io.txbox.migrations;

import java.util.List;
import java.util.Optional;

/**
 * What {@link Migrations#status()} found.
 *
 * @param database the product and its version, as the driver names them
 * @param schema the PostgreSQL schema or MySQL database that was looked at
 * @param version the schema's version, 0 if there is none
 * @param knownVersion the version that this library brings
 * @param differences what {@link Migrations#verify()} would complain about
 * @param lock who holds the changelog lock, if anyone does
 */
public record SchemaStatus(
    String database,
    String schema,
    int version,
    int knownVersion,
    List<String> differences,
    Optional<LockHolder> lock) {

  /** Copies the list. */
  public SchemaStatus {
    differences = List.copyOf(differences);
  }
}
