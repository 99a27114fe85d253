package io.txbox.inbox;

import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import org.jooq.DSLContext;

/** Where an inbox has its tables, and how it speaks to them. */
record InboxDatabase(DSLContext dsl, StoreDialect dialect, InboxSchema schema) {}
