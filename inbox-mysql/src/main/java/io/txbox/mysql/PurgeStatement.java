package io.txbox.mysql;

import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Deletes rows of before a time. They are found by the index that leads to the oldest ones, locked,
 * and then deleted by their key: a DELETE with a limit would wait for rows that are locked.
 */
final class PurgeStatement {
  /** Far more than a batch takes; a statement that hangs must not hang for ever. */
  private static final int TIMEOUT_S = 60;

  private final String sql;

  PurgeStatement(InboxTable inbox) {
    String table = DSL.using(SQLDialect.MYSQL).render(inbox.getQualifiedName());
    sql =
        "DELETE old FROM (SELECT scope_id, dedup_key FROM "
            + table
            + " WHERE scope_id = ? AND state = ? AND processed_at >= ? AND processed_at < ?"
            + " ORDER BY processed_at LIMIT ? FOR UPDATE SKIP LOCKED) AS may_go STRAIGHT_JOIN "
            + table
            + " AS old ON old.scope_id = may_go.scope_id AND old.dedup_key = may_go.dedup_key";
  }

  int run(Connection connection, PurgeBatch batch) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_S);
      statement.setShort(1, batch.scopeId());
      statement.setShort(2, batch.state().code());
      statement.setLong(3, batch.from().toEpochMilli());
      statement.setLong(4, batch.before().toEpochMilli());
      statement.setInt(5, batch.limit());
      return statement.executeUpdate();
    }
  }
}
