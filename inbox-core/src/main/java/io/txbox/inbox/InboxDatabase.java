package io.txbox.inbox;

import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.conf.Settings;

/** Where an inbox has its tables, and how it speaks to them. */
record InboxDatabase(DSLContext dsl, StoreDialect dialect, InboxSchema schema) {
  /**
   * Returns jOOQ in a transaction for statements of ours, which the user's settings must not bend.
   */
  static DSLContext own(Configuration tx) {
    return tx.derive(new Settings()).dsl();
  }
}
