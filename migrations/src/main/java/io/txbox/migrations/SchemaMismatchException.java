package io.txbox.migrations;

import java.util.List;

/** Thrown if the tables are not the ones that this version of the library works on. */
public final class SchemaMismatchException extends MigrationException {

  private final String schema;
  private final List<String> differences;

  SchemaMismatchException(String schema, List<String> differences, String remedy) {
    super(
        "The tables of txbox in the schema %s do not fit this version of the library:%n  - %s%n%s"
            .formatted(schema, String.join(System.lineSeparator() + "  - ", differences), remedy),
        null);
    this.schema = schema;
    this.differences = List.copyOf(differences);
  }

  /** The PostgreSQL schema or MySQL database that was looked at. */
  public String schema() {
    return schema;
  }

  /** What is missing or differs, one sentence each. */
  public List<String> differences() {
    return differences;
  }
}
