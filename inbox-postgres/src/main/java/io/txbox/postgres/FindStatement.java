package io.txbox.postgres;

import io.txbox.store.InboxTable;
import io.txbox.store.KnownRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * Reads rows by their keys, each by a look of its own into the primary key: what LIMIT is for. By a
 * join, or IN, a server whose statistics do not know the scope yet takes it for empty, and reads it
 * as a whole each time.
 *
 * <p>Plain JDBC, since the text is the same for any number of keys, so that it is parsed once.
 */
final class FindStatement {
  private final String sql;

  FindStatement(InboxTable inbox) {
    sql =
        "SELECT known.* FROM unnest(?::text[]) AS wanted (dedup_key) CROSS JOIN LATERAL (SELECT"
            + " inbox.dedup_key, processed_at, message_id, body_fingerprint FROM "
            + DSL.using(SQLDialect.POSTGRES).render(inbox.getQualifiedName())
            + " AS inbox WHERE scope_id = ? AND inbox.dedup_key = wanted.dedup_key LIMIT 1) AS"
            + " known";
  }

  List<KnownRow> run(Connection connection, short scopeId, Collection<String> keys)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
      statement.setShort(2, scopeId);
      List<KnownRow> found = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new KnownRow(
                  row.getString(1),
                  Instant.ofEpochMilli(row.getLong(2)),
                  row.getString(3),
                  row.getLong(4)));
        }
      }
      return found;
    }
  }
}
