package io.txbox.internal.database;

import io.txbox.store.InboxSchema;
import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.store.StoreDialect;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.conf.Settings;
import org.jooq.impl.DefaultConfiguration;
import org.jspecify.annotations.Nullable;

/** Where the tables are, and how statements of ours reach them. Thread-safe. */
public record Database(DSLContext dsl, StoreDialect dialect, InboxSchema schema) {
  private static final int TIMEOUT_S = 60;
  private static final short NO_SCOPE = 0; // Those of consumer groups begin at 1.

  /**
   * Runs statements of ours in a transaction of their own, at READ COMMITTED. Each has a minute at
   * most.
   */
  public <T extends @Nullable Object> T inTransaction(Function<DSLContext, T> statements) {
    return dsl.transactionResult(
        tx -> {
          DSLContext own = own(tx);
          own.connection(dialect::readCommitted);
          own.settings().setQueryTimeout(TIMEOUT_S);
          return statements.apply(own);
        });
  }

  /** Returns whether somebody has set a transaction's connection to be read-only. */
  public boolean isReadOnly() {
    return inTransaction(tx -> tx.connectionResult(Connection::isReadOnly));
  }

  /** Returns how far the database's clock is ahead of another: the least that its answer allows. */
  public Duration skew(InstantSource clock) {
    return inTransaction(
        tx -> {
          Instant asked = clock.instant();
          Instant told = tx.connectionResult(dialect::time);
          Instant answered = clock.instant();
          return Duration.between(
              told.isBefore(asked) ? asked : told.isAfter(answered) ? answered : told, told);
        });
  }

  /** Deletes rows of the inbox in a transaction of ours, and returns how many. */
  public int purge(DSLContext tx, PurgeBatch batch) {
    return tx.connectionResult(connection -> dialect.purge(connection, schema, batch));
  }

  /**
   * Finds out whether the database takes writes, by one on a connection of its own: a row that
   * nobody's message can have, written, taken back and committed.
   */
  public boolean takesWrites() {
    InboxTable inbox = schema.inbox();
    String key = "probe " + UUID.randomUUID();
    try {
      inTransaction(
          dsl ->
              dsl.insertInto(inbox)
                      .set(inbox.scopeId, NO_SCOPE)
                      .set(inbox.dedupKey, key)
                      .set(inbox.state, RowState.PROCESSED.code())
                      .set(inbox.messageTime, Instant.EPOCH)
                      .set(inbox.processedAt, Instant.EPOCH)
                      .set(inbox.messageId, key)
                      .set(inbox.bodyFingerprint, 0L)
                      .execute()
                  + dsl.deleteFrom(inbox)
                      .where(inbox.scopeId.eq(NO_SCOPE))
                      .and(inbox.dedupKey.eq(key))
                      .execute());
      return true;
    } catch (RuntimeException e) { // Of jOOQ or of the user's transaction provider.
      return false;
    }
  }

  /**
   * Returns jOOQ in a transaction for statements of ours. Nothing of the user's set-up bends them:
   * neither settings, nor listeners (Spring's make other exceptions of jOOQ's).
   */
  public static DSLContext own(Configuration tx) {
    return new DefaultConfiguration()
        .set(new Settings())
        .set(tx.dialect())
        .set(tx.connectionProvider())
        .dsl();
  }
}
