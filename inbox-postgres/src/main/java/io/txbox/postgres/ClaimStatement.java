package io.txbox.postgres;

import io.txbox.store.InboxRow;
import io.txbox.store.InboxTable;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Inserts rows whose keys are not there, and reports which these were and under which settings it
 * ran.
 *
 * <p>One statement, of one text for any number of rows, so that the driver and the server prepare
 * it once. Plain JDBC: it is on the path of every message.
 */
final class ClaimStatement {
  private static final String SQL =
      """
      WITH claimed AS (
        INSERT INTO %s (message_time, processed_at, body_fingerprint, scope_id, state, dedup_key, message_id)
        SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[], ?::smallint[], ?::text[], ?::text[])
        ON CONFLICT (scope_id, dedup_key) DO NOTHING
        RETURNING dedup_key)
      SELECT current_setting('transaction_isolation'), current_setting('synchronous_commit'),
        (SELECT array_agg(dedup_key) FROM claimed)\
      """;

  private final String sql;

  ClaimStatement(InboxTable inbox) {
    sql = SQL.formatted(DSL.using(SQLDialect.POSTGRES).render(inbox.getQualifiedName()));
  }

  /** What the statement reports. */
  record Result(String isolation, String synchronousCommit, Set<String> claimed) {}

  Result run(Connection connection, List<InboxRow> rows, Duration wait) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout((int) wait.toSeconds());
      statement.setArray(1, bigints(connection, rows, row -> row.messageTime().toEpochMilli()));
      statement.setArray(2, bigints(connection, rows, row -> row.processedAt().toEpochMilli()));
      statement.setArray(3, bigints(connection, rows, InboxRow::bodyFingerprint));
      statement.setArray(4, array(connection, "int2", rows, InboxRow::scopeId));
      statement.setArray(5, array(connection, "int2", rows, row -> row.state().code()));
      statement.setArray(6, array(connection, "text", rows, InboxRow::dedupKey));
      statement.setArray(7, array(connection, "text", rows, InboxRow::messageId));
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return new Result(result.getString(1), result.getString(2), keys(result.getArray(3)));
      }
    }
  }

  private static Array bigints(
      Connection connection, List<InboxRow> rows, Function<InboxRow, Object> value)
      throws SQLException {
    return array(connection, "int8", rows, value);
  }

  private static Array array(
      Connection connection, String type, List<InboxRow> rows, Function<InboxRow, Object> value)
      throws SQLException {
    return connection.createArrayOf(type, rows.stream().map(value).toArray());
  }

  private static Set<String> keys(Array array) throws SQLException {
    return array == null ? Set.of() : new HashSet<>(List.of((String[]) array.getArray()));
  }
}
