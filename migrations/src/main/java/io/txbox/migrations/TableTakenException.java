package io.txbox.migrations;

import java.util.List;

/**
 * Thrown if a table, view, index, sequence or type has one of our names but was made by someone
 * else. Nothing has been changed then.
 */
public final class TableTakenException extends MigrationException {

  private final String table;

  TableTakenException(Session session, String table, List<String> differences) {
    super(
        """
        The schema %s already has something named %s that is not txbox's:
          - %s
        Nothing was changed. Give txbox a schema of its own, and name it to txbox everywhere: \
        CREATE SCHEMA txbox, then migrate with schema "txbox".\
        """
            .formatted(
                session.schema(), table, String.join(System.lineSeparator() + "  - ", differences)),
        null);
    this.table = table;
  }

  /** The name that is taken. */
  public String table() {
    return table;
  }
}
