package io.txbox.cli;

import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.QueueId;
import io.txbox.inbox.Inbox;
import io.txbox.store.InboxClockTable;
import io.txbox.store.InboxLeaseTable;
import io.txbox.store.InboxQueueTable;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.InboxTable;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** The inbox of one consumer group, with rows as old as a test wants them. */
final class Rows {
  private static final InboxSchema SCHEMA = InboxSchema.ofConnection();

  private final DSLContext dsl;
  private final StoreDialect dialect;
  private final String group;
  private final String topic;

  Rows(DSLContext dsl, StoreDialect dialect, String group, String topic) {
    this.dsl = dsl;
    this.dialect = dialect;
    this.group = group;
    this.topic = topic;
  }

  String group() {
    return group;
  }

  /** Consumes messages of a time at that time. */
  void add(int messages, Instant at) {
    Inbox inbox =
        Inbox.builder(group, dsl, dialect)
            .clock(() -> at)
            .handler(topic, DedupKeys.keys(), (message, tx) -> {})
            .build();
    for (int i = 0; i < messages; i++) {
      var unused =
          inbox.receive(
              InboxMessage.builder(topic)
                  .keys(UUID.randomUUID().toString())
                  .bornAt(at)
                  .storedAt(at)
                  .build());
    }
  }

  /** The same, quicker, on PostgreSQL. */
  void addMany(int messages, Instant at) {
    dsl.execute(
        """
        INSERT INTO inbox (scope_id, dedup_key, state, message_time, processed_at, message_id, body_fingerprint)
        SELECT {0}, 'many-' || i, (SELECT min(state) FROM inbox WHERE scope_id = {0}), {1}, {1}, 'ID', 0
        FROM generate_series(1, {2}) AS i
        """,
        org.jooq.impl.DSL.inline(scopeId()),
        org.jooq.impl.DSL.inline(at.toEpochMilli()),
        org.jooq.impl.DSL.inline(messages));
  }

  /** Notes down what a janitor would have that has watched the group for thirteen hours. */
  void watchClock() {
    InboxClockTable clock = SCHEMA.clock();
    Instant now = Instant.now();
    for (int minutes = 0; minutes < 780; minutes += 9) {
      Instant at = now.minus(Duration.ofMinutes(minutes));
      dsl.insertInto(clock)
          .set(clock.consumerGroup, group)
          .set(clock.sampledAt, at)
          .set(clock.consumedThrough, at)
          .set(clock.lookBack, Duration.ZERO)
          .execute();
    }
  }

  /** Leaves a margin as the janitor of a consumer does. */
  void announceMargin(Duration margin) {
    InboxScopeTable scope = SCHEMA.scope();
    dsl.update(scope).set(scope.margin, margin).where(scope.consumerGroup.eq(group)).execute();
  }

  /** Notes down a queue of the topic, as a janitor does that has seen it. */
  void remember(QueueId queue) {
    InboxQueueTable queues = SCHEMA.queue();
    dsl.insertInto(queues)
        .set(queues.consumerGroup, group)
        .set(queues.topic, topic)
        .set(queues.broker, queue.broker())
        .set(queues.queue, queue.number())
        .set(queues.seenAt, Instant.now())
        .execute();
  }

  /** Calls the scope otherwise than its topic. */
  void renameScope(String name) {
    InboxScopeTable scope = SCHEMA.scope();
    dsl.update(scope).set(scope.scope, name).where(scope.consumerGroup.eq(group)).execute();
  }

  Duration margin() {
    InboxScopeTable scope = SCHEMA.scope();
    return dsl.select(scope.margin)
        .from(scope)
        .where(scope.consumerGroup.eq(group))
        .fetchSingle(scope.margin);
  }

  void holdLease(@Nullable String holder) {
    InboxLeaseTable lease = SCHEMA.lease();
    if (dsl.update(lease).set(lease.holder, holder).execute() == 0) {
      dsl.insertInto(lease)
          .set(lease.lease, "janitor")
          .set(lease.term, 1L)
          .set(lease.beat, 1L)
          .set(lease.holder, holder)
          .execute();
    }
  }

  /** Has each delete in the inbox wait while somebody holds this advisory lock. */
  void holdUpDeletes(int lock) {
    dsl.execute(
        """
        CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN OLD; END $$
        """
            .formatted(lock));
    dsl.execute(
        "CREATE TRIGGER hold_up BEFORE DELETE ON inbox FOR EACH ROW EXECUTE FUNCTION hold_up()");
  }

  void letDeletesThrough() {
    dsl.execute("DROP TRIGGER hold_up ON inbox");
    dsl.execute("DROP FUNCTION hold_up()");
  }

  boolean atGate(int lock) {
    return dsl.fetchOne(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = "
                    + lock
                    + " AND NOT granted")
            .get(0, Integer.class)
        > 0;
  }

  int count() {
    InboxTable inbox = SCHEMA.inbox();
    return dsl.fetchCount(inbox, inbox.scopeId.eq(scopeId()));
  }

  /** Returns all that a purge of the group may change. */
  String state() {
    InboxScopeTable scope = SCHEMA.scope();
    InboxTable inbox = SCHEMA.inbox();
    InboxClockTable clock = SCHEMA.clock();
    return dsl.selectFrom(scope).where(scope.consumerGroup.eq(group)).fetch().formatCSV()
        + dsl.selectFrom(inbox)
            .where(inbox.scopeId.eq(scopeId()))
            .orderBy(inbox.dedupKey)
            .fetch()
            .formatCSV()
        + dsl.selectFrom(clock)
            .where(clock.consumerGroup.eq(group))
            .orderBy(clock.sampledAt)
            .fetch()
            .formatCSV()
        + dsl.fetchCount(SCHEMA.queue(), SCHEMA.queue().consumerGroup.eq(group))
        + dsl.fetchCount(SCHEMA.lease());
  }

  private short scopeId() {
    InboxScopeTable scope = SCHEMA.scope();
    return dsl.select(scope.id)
        .from(scope)
        .where(scope.consumerGroup.eq(group))
        .fetchSingle(scope.id);
  }
}
