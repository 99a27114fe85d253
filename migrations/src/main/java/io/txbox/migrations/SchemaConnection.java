package io.txbox.migrations;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import liquibase.database.jvm.JdbcConnection;
import liquibase.exception.DatabaseException;

/**
 * Begins each of Liquibase's transactions in our schema of PostgreSQL, at READ COMMITTED, whatever
 * the session's defaults are. By settings that end with the transaction: a pooler such as PgBouncer
 * may run the next one in another session, where a search path that was set before is not known,
 * and would show a setting of ours to whoever uses this session next.
 */
final class SchemaConnection extends JdbcConnection {

  private final String schema;

  SchemaConnection(Connection connection, String schema) {
    super(connection);
    this.schema = schema;
  }

  @Override
  public void setAutoCommit(boolean autoCommit) throws DatabaseException {
    super.setAutoCommit(autoCommit);
    enter();
  }

  @Override
  public void commit() throws DatabaseException {
    super.commit();
    enter();
  }

  @Override
  public void rollback() throws DatabaseException {
    super.rollback();
    enter();
  }

  private void enter() throws DatabaseException {
    if (getAutoCommit()) {
      return;
    }
    try (PreparedStatement statement =
        getUnderlyingConnection()
            .prepareStatement(
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
                    + " SELECT pg_catalog.set_config('search_path', ?, true)")) {
      // Unless it is named, the schema of temporary tables comes first.
      statement.setString(1, Vendor.POSTGRESQL.quoted(schema) + ", pg_temp");
      statement.execute();
    } catch (SQLException e) {
      throw new DatabaseException(e);
    }
  }
}
