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
 *
 * <p>How long to wait for a rival is set on the same way to the server, and set back to what the
 * session has for the handler's own statements. With one row, the insert does both itself: it reads
 * its row, and with it the new limit, before it inserts, and gives the old one back with the row;
 * if it inserts nothing, no handler runs. With many rows that would happen row by row, so there it
 * is done by a statement before and another behind.
 */
final class ClaimStatement {
  private static final String LIMIT_WAIT =
      "SELECT set_config('txbox.lock_timeout', current_setting('lock_timeout'), true) AS old,"
          + " set_config('lock_timeout', ?, true) AS wait";

  private static final String RESTORE =
      "set_config('lock_timeout', current_setting('txbox.lock_timeout'), true)";

  private static final String COLUMNS =
      "(message_time, processed_at, body_fingerprint, scope_id, state, dedup_key, message_id)";
  private static final String ONE =
      "SELECT ?::bigint, ?::bigint, ?::bigint, ?::smallint, ?::smallint, ?::text, ?::text FROM ("
          + LIMIT_WAIT
          + " OFFSET 0) AS waits WHERE old IS NOT NULL AND wait IS NOT NULL"; // So that both are
  // read.
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
    one = String.join(" ", insert, ONE, IF_NEW) + ", " + RESTORE;
    many = LIMIT_WAIT + "; " + String.join(" ", insert, MANY, IF_NEW) + "; SELECT " + RESTORE;
  }

  /**
   * What a claim found.
   *
   * @param isolation the level that it ran at, or read committed if it claimed nothing
   * @param synchronousCommit the setting at the time, or on if it claimed nothing
   */
  record Result(Set<String> claimed, String isolation, String synchronousCommit) {}

  Result run(Connection connection, List<InboxRow> rows, Duration wait) throws SQLException {
    String limit = Long.toString(wait.toMillis());
    return rows.size() == 1
        ? runOne(connection, rows.get(0), limit)
        : runMany(connection, rows, limit);
  }

  private Result runOne(Connection connection, InboxRow row, String limit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(one)) {
      statement.setLong(1, row.messageTime().toEpochMilli());
      statement.setLong(2, row.processedAt().toEpochMilli());
      statement.setLong(3, row.bodyFingerprint());
      statement.setShort(4, row.scopeId());
      statement.setShort(5, row.state().code());
      statement.setString(6, row.dedupKey());
      statement.setString(7, row.messageId());
      statement.setString(8, limit);
      try (ResultSet claimed = statement.executeQuery()) {
        return read(claimed);
      }
    }
  }

  private Result runMany(Connection connection, List<InboxRow> rows, String limit)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(many)) {
      statement.setString(1, limit);
      bind(connection, statement, rows);
      statement.execute();
      statement.getMoreResults(); // Past what LIMIT_WAIT gives.
      try (ResultSet claimed = statement.getResultSet()) {
        return read(claimed);
      }
    }
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
