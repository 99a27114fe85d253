package io.txbox.testkit.contract;

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
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** A dialect that stops the flow around the claim and before the commit. */
final class HaltingDialect implements StoreDialect {
  private final StoreDialect dialect;
  private final Halt halt;

  HaltingDialect(StoreDialect dialect, Halt halt) {
    this.dialect = dialect;
    this.halt = halt;
  }

  @Override
  public Set<SQLDialect> families() {
    return dialect.families();
  }

  @Override
  public void check(DSLContext dsl) {
    dialect.check(dsl);
  }

  @Override
  public Claim claim(Connection connection, InboxSchema schema, List<InboxRow> rows, Duration wait)
      throws SQLException {
    halt.at(FlowStep.BEGUN);
    Claim claim = dialect.claim(connection, schema, rows, wait);
    halt.at(FlowStep.CLAIMED);
    return claim;
  }

  @Override
  public List<KnownRow> find(
      Connection connection, InboxSchema schema, short scopeId, Collection<String> keys)
      throws SQLException {
    return dialect.find(connection, schema, scopeId, keys);
  }

  @Override
  public void readCommitted(Connection connection) throws SQLException {
    dialect.readCommitted(connection);
  }

  @Override
  public String session(Connection connection) throws SQLException {
    return dialect.session(connection);
  }

  @Override
  public Instant time(Connection connection) throws SQLException {
    return dialect.time(connection);
  }

  @Override
  public int purge(Connection connection, InboxSchema schema, PurgeBatch batch)
      throws SQLException {
    return dialect.purge(connection, schema, batch);
  }

  @Override
  public void checkBeforeCommit(Connection connection) throws SQLException {
    dialect.checkBeforeCommit(connection);
    halt.at(FlowStep.HANDLER_RETURNED);
  }

  @Override
  public boolean dollarQuotes() {
    return dialect.dollarQuotes();
  }

  @Override
  public boolean dashesNeedSpace() {
    return dialect.dashesNeedSpace();
  }

  @Override
  public boolean commitsImplicitly(List<String> firstWords) {
    return dialect.commitsImplicitly(firstWords);
  }

  @Override
  public FailureKind classify(SQLException error) {
    return dialect.classify(error);
  }
}
