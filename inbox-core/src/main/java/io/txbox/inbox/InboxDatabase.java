package io.txbox.inbox;

import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import java.util.function.Function;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.conf.Settings;
import org.jooq.impl.DefaultConfiguration;
import org.jspecify.annotations.Nullable;

/** Where an inbox has its tables, and how it speaks to them. */
record InboxDatabase(DSLContext dsl, StoreDialect dialect, InboxSchema schema) {
  /** Runs statements of ours in a transaction of their own. */
  <T extends @Nullable Object> T inTransaction(Function<DSLContext, T> statements) {
    return dsl.transactionResult(tx -> statements.apply(own(tx)));
  }

  /**
   * Returns jOOQ in a transaction for statements of ours. Nothing of the user's set-up bends them:
   * neither settings, nor listeners (Spring's make other exceptions of jOOQ's).
   */
  static DSLContext own(Configuration tx) {
    return new DefaultConfiguration()
        .set(new Settings())
        .set(tx.dialect())
        .set(tx.connectionProvider())
        .dsl();
  }
}
