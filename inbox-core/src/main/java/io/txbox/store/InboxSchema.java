package io.txbox.store;

import java.util.Optional;
import org.jooq.Name;
import org.jooq.impl.DSL;

/** Names txbox's tables in one schema. Immutable and thread-safe. */
public final class InboxSchema {
  private final Optional<String> name;
  private final InboxTable inbox;
  private final InboxScopeTable scope;
  private final InboxParkedTable parked;
  private final InboxQueueTable queue;
  private final InboxClockTable clock;
  private final InboxLeaseTable lease;
  private final InboxSchemaTable version;

  private InboxSchema(Optional<String> name) {
    this.name = name;
    inbox = new InboxTable(qualified("inbox"));
    scope = new InboxScopeTable(qualified("inbox_scope"));
    parked = new InboxParkedTable(qualified("inbox_parked"));
    queue = new InboxQueueTable(qualified("inbox_queue"));
    clock = new InboxClockTable(qualified("inbox_clock"));
    lease = new InboxLeaseTable(qualified("inbox_lease"));
    version = new InboxSchemaTable(qualified("inbox_schema"));
  }

  /** Leaves the tables to the schema that the connection has by default. */
  public static InboxSchema ofConnection() {
    return new InboxSchema(Optional.empty());
  }

  /** Looks for the tables in this schema (MySQL: database), whatever the connection's default. */
  public static InboxSchema named(String schema) {
    return new InboxSchema(Optional.of(schema));
  }

  /** Returns the schema's name, if it was chosen. */
  public Optional<String> name() {
    return name;
  }

  /** Returns the inbox table. */
  public InboxTable inbox() {
    return inbox;
  }

  /** Returns the scope table. */
  public InboxScopeTable scope() {
    return scope;
  }

  /** Returns the table of parked messages. */
  public InboxParkedTable parked() {
    return parked;
  }

  /** Returns the table of known queues. */
  public InboxQueueTable queue() {
    return queue;
  }

  /** Returns the table of how far groups had consumed. */
  public InboxClockTable clock() {
    return clock;
  }

  /** Returns the table of leases. */
  public InboxLeaseTable lease() {
    return lease;
  }

  /** Returns the table of applied versions. */
  public InboxSchemaTable version() {
    return version;
  }

  private Name qualified(String table) {
    return name.map(schema -> DSL.name(schema, table)).orElseGet(() -> DSL.name(table));
  }
}
