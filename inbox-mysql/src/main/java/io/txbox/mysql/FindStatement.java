package io.txbox.mysql;

import io.txbox.store.InboxTable;
import io.txbox.store.KnownRow;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Reads rows by their keys. InnoDB looks for each of them in the primary key, and needs no
 * statistics for that.
 *
 * <p>Plain JDBC: keys are bound as bytes, so that no character set of a session changes them.
 */
final class FindStatement {
  private final String select;

  FindStatement(InboxTable inbox) {
    select =
        "SELECT dedup_key, processed_at, message_id, body_fingerprint FROM "
            + DSL.using(SQLDialect.MYSQL).render(inbox.getQualifiedName())
            + " WHERE scope_id = ? AND dedup_key IN (";
  }

  List<KnownRow> run(Connection connection, short scopeId, Collection<String> keys)
      throws SQLException {
    String sql = select + String.join(", ", Collections.nCopies(keys.size(), "?")) + ")";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setShort(1, scopeId);
      int i = 2;
      for (String key : keys) {
        statement.setBytes(i++, key.getBytes(StandardCharsets.UTF_8));
      }
      List<KnownRow> found = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new KnownRow(
                  text(row, 1),
                  Instant.ofEpochMilli(row.getLong(2)),
                  text(row, 3),
                  row.getLong(4)));
        }
      }
      return found;
    }
  }

  private static String text(ResultSet row, int column) throws SQLException {
    return new String(row.getBytes(column), StandardCharsets.UTF_8);
  }
}
