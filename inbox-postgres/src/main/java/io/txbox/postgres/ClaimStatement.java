package io.txbox.postgres;

import io.txbox.store.InboxRow;
import io.txbox.store.InboxTable;
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
 * Inserts rows whose keys are not there, and reports for these under which settings it ran.
 *
 * <p>A claim of nothing reports no settings and needs none: it decides rightly at every isolation
 * level, since PostgreSQL raises 40001 where a key was committed that the snapshot does not show.
 *
 * <p>Plain JDBC, since it is on the path of every message. One row has a statement of its own: the
 * arrays of many rows are planned anew each time, as their length makes a plan of its own look
 * cheaper to the server than the one it could keep.
 */
final class ClaimStatement {
  /** In front of the insert, on the same way to the server: how long to wait for a rival. */
  private static final String LIMIT_WAIT =
      "SELECT set_config('txbox.lock_timeout', current_setting('lock_timeout'), true),"
          + " set_config('lock_timeout', ?, true); ";

  /** Behind it: what the session has for the handler's own statements. */
  private static final String RESTORE =
      "; SELECT set_config('lock_timeout', current_setting('txbox.lock_timeout'), true)";

  private static final String COLUMNS =
      "(message_time, processed_at, body_fingerprint, scope_id, state, dedup_key, message_id)";
  private static final String ONE = "VALUES (?, ?, ?, ?, ?, ?, ?)";
  private static final String MANY =
      "SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[], ?::smallint[],"
          + " ?::text[], ?::text[])";
  private static final String IF_NEW =
      "ON CONFLICT (scope_id, dedup_key) DO NOTHING RETURNING dedup_key,"
          + " current_setting('transaction_isolation'), current_setting('synchronous_commit')";

  private final String one;
  private final String many;

  ClaimStatement(InboxTable inbox) {
    String insert =
        "INSERT INTO "
            + DSL.using(SQLDialect.POSTGRES).render(inbox.getQualifiedName())
            + " "
            + COLUMNS;
    one = LIMIT_WAIT + String.join(" ", insert, ONE, IF_NEW) + RESTORE;
    many = LIMIT_WAIT + String.join(" ", insert, MANY, IF_NEW) + RESTORE;
  }

  /**
   * What a claim found.
   *
   * @param isolation the level that it ran at, or read committed if it claimed nothing
   * @param synchronousCommit the setting at the time, or on if it claimed nothing
   */
  record Result(Set<String> claimed, String isolation, String synchronousCommit) {}

  Result run(Connection connection, List<InboxRow> rows, Duration wait) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(rows.size() == 1 ? one : many)) {
      statement.setString(1, Long.toString(wait.toMillis()));
      if (rows.size() == 1) {
        bind(statement, rows.get(0));
      } else {
        bind(connection, statement, rows);
      }
      statement.execute();
      statement.getMoreResults(); // Past what LIMIT_WAIT gives.
      try (ResultSet claimed = statement.getResultSet()) {
        return read(claimed);
      }
    }
  }

  private static void bind(PreparedStatement statement, InboxRow row) throws SQLException {
    statement.setLong(2, row.messageTime().toEpochMilli());
    statement.setLong(3, row.processedAt().toEpochMilli());
    statement.setLong(4, row.bodyFingerprint());
    statement.setShort(5, row.scopeId());
    statement.setShort(6, row.state().code());
    statement.setString(7, row.dedupKey());
    statement.setString(8, row.messageId());
  }

  private static void bind(Connection connection, PreparedStatement statement, List<InboxRow> rows)
      throws SQLException {
    record Column(String type, Function<InboxRow, Object> value) {}
    List<Column> columns =
        List.of(
            new Column("int8", row -> row.messageTime().toEpochMilli()),
            new Column("int8", row -> row.processedAt().toEpochMilli()),
            new Column("int8", InboxRow::bodyFingerprint),
            new Column("int2", InboxRow::scopeId),
            new Column("int2", row -> row.state().code()),
            new Column("text", InboxRow::dedupKey),
            new Column("text", InboxRow::messageId));
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Object[] values = rows.stream().map(column.value()).toArray();
      statement.setArray(i + 2, connection.createArrayOf(column.type(), values));
    }
  }

  private static Result read(ResultSet rows) throws SQLException {
    Set<String> claimed = new HashSet<>();
    String isolation = PostgresDialect.READ_COMMITTED;
    String synchronousCommit = "on";
    while (rows.next()) {
      claimed.add(rows.getString(1));
      isolation = rows.getString(2);
      synchronousCommit = rows.getString(3);
    }
    return new Result(claimed, isolation, synchronousCommit);
  }
}
