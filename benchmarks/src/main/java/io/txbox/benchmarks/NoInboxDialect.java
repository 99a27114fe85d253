package io.txbox.benchmarks;

import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.KnownRow;
import io.txbox.store.PurgeBatch;
import io.txbox.store.StoreDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** Takes every message for new and writes nothing: what is left is lanes without an inbox. */
final class NoInboxDialect implements StoreDialect {
  private final StoreDialect real;

  /** Is as the real one in all else. */
  NoInboxDialect(StoreDialect real) {
    this.real = real;
  }

  @Override
  public Set<SQLDialect> families() {
    return real.families();
  }

  @Override
  public void check(DSLContext dsl) {
    real.check(dsl);
  }

  @Override
  public Claim claim(Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait)
      throws SQLException {
    if (!families().contains(SQLDialect.POSTGRES)) { // Whose default it is.
      readCommitted(connection);
    }
    return new Claim.Decided(rows.stream().map(InboxRow::dedupKey).collect(Collectors.toSet()));
  }

  @Override
  public List<KnownRow> find(
      Connection connection, InboxSchema schema, short scopeId, Collection<String> keys)
      throws SQLException {
    return real.find(connection, schema, scopeId, keys);
  }

  @Override
  public void readCommitted(Connection connection) throws SQLException {
    real.readCommitted(connection);
  }

  @Override
  public Instant time(Connection connection) throws SQLException {
    return real.time(connection);
  }

  @Override
  public String session(Connection connection) throws SQLException {
    return real.session(connection);
  }

  @Override
  public int purge(Connection connection, InboxSchema schema, PurgeBatch batch)
      throws SQLException {
    return real.purge(connection, schema, batch);
  }

  @Override
  public void checkBeforeCommit(Connection connection) {
    // A handler that does nothing has begun no transaction, which the real one would refuse.
  }

  @Override
  public boolean dollarQuotes() {
    return real.dollarQuotes();
  }

  @Override
  public boolean dashesNeedSpace() {
    return real.dashesNeedSpace();
  }

  @Override
  public boolean commitsImplicitly(List<String> firstWords) {
    return real.commitsImplicitly(firstWords);
  }

  @Override
  public FailureKind classify(SQLException error) {
    return real.classify(error);
  }
}
