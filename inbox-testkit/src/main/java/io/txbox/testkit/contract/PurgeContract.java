package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorEvent;
import io.txbox.janitor.LatePolicy;
import io.txbox.janitor.Retention;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jooq.Record;
import org.junit.jupiter.api.AfterEach;

/** What the contracts about purging share: a janitor and its time, of which they tell. */
abstract class PurgeContract extends DatabaseContract {
  static final Duration WEEK = Duration.ofDays(7);

  /** More than the purge clock looks back. */
  static final Duration WATCHED = Duration.ofHours(13);

  /** As seldom as it may look. */
  static final Duration STEP = Duration.ofMinutes(36);

  static final Retention BY_THE_DAY = Retention.of(WEEK).byWallClock();

  final SimulatedTime time = new SimulatedTime();
  final ToldProgress progress = new ToldProgress(time);
  final List<JanitorEvent> told = new CopyOnWriteArrayList<>();
  private final List<Janitor> janitors = new CopyOnWriteArrayList<>();

  @AfterEach
  void closeJanitors() {
    janitors.forEach(Janitor::close);
  }

  Inbox inbox() {
    return builder(dsl()).clock(time).handler(TOPIC, BY_KEYS, Effects.handler()).build();
  }

  Inbox late(LatePolicy policy) {
    return builder(dsl())
        .clock(time)
        .late(policy)
        .handler(TOPIC, BY_KEYS, Effects.handler())
        .build();
  }

  static InboxMessage message(String key, Instant at) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .bornAt(at)
        .storedAt(at)
        .build();
  }

  Janitor open(UnaryOperator<Janitor.Builder> groups) {
    return open(groups, dialect());
  }

  Janitor open(UnaryOperator<Janitor.Builder> groups, StoreDialect dialect) {
    Janitor janitor =
        groups
            .apply(
                Janitor.builder(dsl(), dialect)
                    .name(group)
                    .clock(time)
                    .nanoTime(time::nanos)
                    .listener(told::add))
            .build();
    janitors.add(janitor);
    return janitor;
  }

  Janitor janitor(Retention retention) {
    return open(builder -> builder.group(group, retention, progress));
  }

  /** A janitor whose clock has been watched for as long as it looks back. */
  Janitor watched(Retention retention) {
    Janitor janitor = janitor(retention);
    watch(janitor);
    return janitor;
  }

  /** Lets what is there now be what the clock shows, announces it, waits, and purges. */
  void purge(Janitor janitor) {
    watch(janitor);
    announceAndPurge(janitor);
  }

  /** Lets it work for as long as its clock looks back. */
  void watch(Janitor janitor) {
    janitor.pass();
    for (Duration left = WATCHED; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
      time.advance(STEP);
      janitor.pass();
    }
  }

  void announceAndPurge(Janitor janitor) {
    janitor.pass();
    time.advance(Duration.ofSeconds(10));
    janitor.pass();
  }

  void purgeAll() {
    Janitor janitor = watched(Retention.of(WEEK));
    time.advance(WEEK.multipliedBy(2));
    purge(janitor);
    purge(janitor);
    assertThat(inboxRows()).isZero();
  }

  Record horizon() {
    InboxScopeTable scope = InboxSchema.ofConnection().scope();
    return dsl().selectFrom(scope).where(scope.consumerGroup.eq(group)).fetchSingle();
  }

  short scopeId() {
    return horizon().get(InboxSchema.ofConnection().scope().id);
  }
}
