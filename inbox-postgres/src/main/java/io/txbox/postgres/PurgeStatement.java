package io.txbox.postgres;

import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Deletes rows of before a time. They are found by the index that leads to the oldest ones, locked,
 * and then deleted by where they lie: each row is looked for once. A row that has changed between
 * the two is not touched.
 */
final class PurgeStatement {
  /** Far more than a batch takes; a statement that hangs must not hang for ever. */
  private static final int TIMEOUT_S = 60;

  private static final String MAY_GO =
      "scope_id = ? AND state = ? AND processed_at >= ? AND processed_at < ?";

  private final String sql;

  PurgeStatement(InboxTable inbox) {
    String table = DSL.using(SQLDialect.POSTGRES).render(inbox.getQualifiedName());
    sql =
        "DELETE FROM "
            + table
            + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM "
            + table
            + " WHERE "
            + MAY_GO
            + " ORDER BY processed_at LIMIT ? FOR UPDATE SKIP LOCKED)) AND "
            + MAY_GO;
  }

  int run(Connection connection, PurgeBatch batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_S);
      int next = bind(statement, 1, batch);
      statement.setInt(next, batch.limit());
      bind(statement, next + 1, batch);
      return statement.executeUpdate();
    }
  }

  private static int bind(PreparedStatement statement, int first, PurgeBatch batch)
      throws SQLException {
    statement.setShort(first, batch.scopeId());
    statement.setShort(first + 1, batch.state().code());
    statement.setLong(first + 2, batch.from().toEpochMilli());
    statement.setLong(first + 3, batch.before().toEpochMilli());
    return first + 4;
  }
}
