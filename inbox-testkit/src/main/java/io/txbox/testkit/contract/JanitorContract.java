package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorEvent;
import io.txbox.janitor.JanitorHealth;
import io.txbox.janitor.LatePolicy;
import io.txbox.janitor.ProgressUnknownException;
import io.txbox.janitor.PurgePreview;
import io.txbox.janitor.QueueProgress;
import io.txbox.janitor.Retention;
import io.txbox.store.InboxLeaseTable;
import io.txbox.store.InboxParkedTable;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import io.txbox.store.StoreDialect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Record;
import org.junit.jupiter.api.Test;

/**
 * PURGE-SAFE: what goes, what stays, and what becomes of a message that comes after its row went.
 */
public abstract class JanitorContract extends PurgeContract {
  /** For subclasses. */
  protected JanitorContract() {}

  // What goes, and when

  // BC-01
  @Test
  void keepsAnOldMessageForTheRetentionFromWhenItWasProcessed() {
    Inbox inbox = inbox();
    InboxMessage old = message("a", time.instant().minus(Duration.ofDays(30)));
    assertThat(inbox.receive(old).isProcessed()).isTrue();

    Janitor janitor = watched(Retention.of(WEEK));
    purge(janitor);
    assertThat(inbox.receive(old).isDuplicate()).isTrue();

    time.advance(WEEK.minus(WATCHED.multipliedBy(2)).minus(Duration.ofHours(3)));
    purge(janitor);
    assertThat(inbox.receive(old).isDuplicate()).isTrue();
    assertThat(effects().count()).isEqualTo(1);

    time.advance(Duration.ofDays(1));
    purge(janitor);
    assertThat(inboxRows()).isZero();
  }

  @Test
  void keepsAMessageFromAheadOfTheClockForTheRetentionFromItsTime() {
    inbox().receive(message("a", time.instant().plus(Duration.ofDays(2))));
    Janitor janitor = watched(Retention.of(WEEK));

    time.advance(WEEK.plusDays(1));
    purge(janitor);
    assertThat(inboxRows()).isEqualTo(1);

    time.advance(Duration.ofDays(2));
    purge(janitor);
    assertThat(inboxRows()).isZero();
  }

  // BC-02
  @Test
  void keepsAllWhileTheGroupHasNotConsumedWhatCameAfter() {
    Inbox inbox = inbox();
    List<InboxMessage> tail =
        IntStream.range(0, 20).mapToObj(i -> message("k" + i, time.instant())).toList();
    tail.forEach(inbox::receive);
    Instant died = time.instant();
    Janitor before = watched(Retention.of(WEEK));
    purge(before);
    progress.lag(0, died);

    time.advance(Duration.ofDays(30));
    Janitor after = janitor(Retention.of(WEEK));
    purge(after);
    purge(after);
    assertThat(inboxRows()).isEqualTo(20);
    tail.forEach(message -> assertThat(inbox().receive(message).isDuplicate()).isTrue());
    assertThat(effects().count()).isEqualTo(20);
    assertThat(events.of(InboxEvent.Late.class)).isEmpty();
  }

  @Test
  void aBacklogIsNotLate() {
    Instant sent = time.instant();
    Janitor janitor = watched(Retention.of(WEEK));
    progress.lag(0, sent);
    time.advance(Duration.ofDays(30));
    purge(janitor);

    assertThat(inbox().receive(message("a", sent)).isProcessed()).isTrue();
    assertThat(events.of(InboxEvent.Late.class)).isEmpty();
  }

  @Test
  void whatIsBeingRetriedIsNotLate() {
    Instant sent = time.instant();
    Janitor janitor = watched(Retention.of(WEEK));
    progress.lag(0, sent);
    time.advance(Duration.ofDays(20));
    purge(janitor);

    // It fails, and is in no queue until it comes again.
    progress.noLag(0);
    janitor.pass();
    time.advance(ToldProgress.LADDER);
    announceAndPurge(janitor);

    assertThat(inbox().receive(message("a", sent)).isProcessed()).isTrue();
  }

  @Test
  void whatWaitsForItsRedeliveryIsNotLate() {
    Instant sent = time.instant();
    Janitor janitor = watched(Retention.of(WEEK));
    progress.lag(0, sent);
    time.advance(Duration.ofDays(20));
    purge(janitor);
    progress.noLag(0);
    janitor.pass();
    time.advance(Duration.ofHours(2));

    // It is back, and the group is down.
    progress.retryLag(time.instant());
    for (int hours = 0; hours < 24; hours++) {
      time.advance(Duration.ofHours(1));
      janitor.pass();
    }
    progress.retryLag(null);
    janitor.pass();
    time.advance(Duration.ofHours(2));
    announceAndPurge(janitor);

    assertThat(inbox().receive(message("a", sent)).isProcessed()).isTrue();
  }

  @Test
  void neverPurgesParkedRows() {
    Inbox inbox = inbox();
    inbox.receive(message("a", time.instant()));
    inbox.receive(message("b", time.instant()));
    InboxTable table = InboxSchema.ofConnection().inbox();
    dsl()
        .update(table)
        .set(table.state, RowState.PARKED.code())
        .where(table.dedupKey.eq("b"))
        .and(table.scopeId.eq(scopeId()))
        .execute();
    Janitor janitor = watched(Retention.of(WEEK));

    time.advance(WEEK.multipliedBy(5));
    purge(janitor);

    assertThat(inboxRows()).isEqualTo(1);
    assertThat(inbox.receive(message("b", time.instant())).isDuplicate()).isTrue();
  }

  // What comes after its row went

  // BC-03, BC-63
  @Test
  void aCopyThatComesAfterItsRowWentIsParkedWithAllThatItHas() {
    Instant sent = time.instant();
    inbox().receive(message("a", sent));
    Janitor janitor = watched(Retention.of(WEEK));
    time.advance(WEEK);
    purge(janitor);
    assertThat(inboxRows()).isZero();

    InboxMessage copy =
        InboxMessage.builder(TOPIC)
            .keys("a")
            .property(Effects.NAME, "a")
            .property("p", "q\u0000\ud800 = # ü")
            .messageId("ID-2")
            .bornAt(sent.plus(Duration.ofMinutes(15)))
            .storedAt(sent.plus(Duration.ofMinutes(16)))
            .offset(7)
            .attempt(3)
            .body(new byte[] {1, 0, -1})
            .build();
    Receipt receipt = inbox().receive(copy);

    assertThat(receipt.isParked()).isTrue();
    assertThat(effects().count()).isEqualTo(1);
    assertThat(events.of(InboxEvent.Late.class)).hasSize(1);
    assertThat(events.of(InboxEvent.Parked.class)).hasSize(1);
    assertThat(inbox().receive(copy).isDuplicate()).isTrue();
    InboxParkedTable parked = InboxSchema.ofConnection().parked();
    Record row = dsl().selectFrom(parked).where(parked.scopeId.eq(scopeId())).fetchSingle();
    assertThat(row.get(parked.reason)).isEqualTo("LATE");
    assertThat(row.get(parked.detail)).contains(copy.messageTime().toString());
    assertThat(row.get(parked.dedupKey)).isEqualTo("a");
    assertThat(row.get(parked.messageId)).isEqualTo("ID-2");
    assertThat(row.get(parked.bornAt)).isEqualTo(copy.bornAt());
    assertThat(row.get(parked.storedAt)).isEqualTo(copy.storedAt());
    assertThat(row.get(parked.parkedAt)).isEqualTo(time.instant());
    assertThat(row.get(parked.queueOffset)).isEqualTo(7);
    assertThat(row.get(parked.attempt)).isEqualTo(3);
    assertThat(row.get(parked.topic)).isEqualTo(TOPIC);
    assertThat(row.get(parked.body)).containsExactly(1, 0, -1);
    assertThat(new String(row.get(parked.properties), java.nio.charset.StandardCharsets.US_ASCII))
        .contains("p=q\\u0000\\uD800 \\= \\# \\u00FC\n", "effect=a\n");
  }

  @Test
  void lateMessagesAreDroppedOrHandledIfThatIsThePolicy() {
    Instant sent = time.instant();
    inbox().receive(message("a", sent));
    purgeAll();

    assertThat(late(LatePolicy.DISCARD).receive(message("b", sent)).isDiscarded()).isTrue();
    assertThat(late(LatePolicy.DISCARD).receive(message("b", sent)).isDuplicate()).isTrue();
    assertThat(late(LatePolicy.PROCESS).receive(message("c", sent)).isProcessed()).isTrue();

    assertThat(effects().all()).containsExactly("a", "c");
    assertThat(events.of(InboxEvent.Late.class))
        .extracting(InboxEvent.Late::policy)
        .containsExactly(LatePolicy.DISCARD, LatePolicy.PROCESS);
    assertThat(events.of(InboxEvent.Discarded.class)).hasSize(1);
  }

  @Test
  void aLateMessageWhoseHandlerFailsIsNotCountedAsHandled() {
    Instant sent = time.instant();
    inbox().receive(message("a", sent));
    purgeAll();
    Inbox failing =
        builder(dsl())
            .clock(time)
            .late(LatePolicy.PROCESS)
            .handler(
                TOPIC,
                BY_KEYS,
                (message, tx) -> {
                  throw new IllegalStateException("no");
                })
            .build();

    assertThatThrownBy(() -> failing.receive(message("b", sent))).hasMessageContaining("no");
    assertThat(events.of(InboxEvent.Late.class)).isEmpty();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void newMessagesAreNotLate() {
    inbox().receive(message("a", time.instant()));
    purgeAll();

    assertThat(inbox().receive(message("b", time.instant())).isProcessed()).isTrue();
  }

  // BC-03
  @Test
  void aCopyThatComesBeforeItsRowGoesKeepsTheRowForLonger() {
    Instant sent = time.instant();
    Inbox inbox = inbox();
    inbox.receive(message("a", sent));
    Janitor janitor = watched(Retention.of(WEEK));
    // Each copy is of less than the margin after the one before it.
    for (int copy = 1; copy <= 12; copy++) {
      time.advance(Duration.ofHours(15));
      purge(janitor);
      assertThat(inbox.receive(message("a", time.instant())).isDuplicate()).isTrue();
    }
    assertThat(effects().count()).isEqualTo(1);
  }

  // BC-20
  @Test
  void aCopyThatWaitsForItsRowToGoDoesNotRun() throws Exception {
    Instant sent = time.instant();
    inbox().receive(message("a", sent));
    Janitor janitor = janitor(BY_THE_DAY);
    inbox().receive(message("other", time.instant()));
    time.advance(WEEK);
    time.advance(Duration.ofSeconds(1));
    janitor.pass(); // Announces.
    time.advance(Duration.ofSeconds(10));
    // The janitor's delete, not yet committed.
    try (Connection connection = database().dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(purge(connection, time.instant().minus(WEEK))).isPositive();
      CompletableFuture<Receipt> copy =
          CompletableFuture.supplyAsync(
              () -> inbox().receive(message("a", sent)), InboxContract.THREADS);
      org.awaitility.Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> LockWaits.count(dsl()) > 0);
      connection.commit();
      assertThat(copy).succeedsWithin(Duration.ofSeconds(30));
      assertThat(copy.join().isParked()).isTrue();
    }
    assertThat(effects().all()).containsOnlyOnce("a");
  }

  private int purge(Connection connection, Instant before) throws SQLException {
    return dialect()
        .purge(
            connection,
            InboxSchema.ofConnection(),
            new PurgeBatch(scopeId(), RowState.PROCESSED, PurgeBatch.FROM_THE_FIRST, before, 100));
  }

  // BC-49
  @Test
  void aRewindPastTheRetentionParksAndDoublesNothing() {
    Inbox inbox = inbox();
    List<InboxMessage> all =
        IntStream.range(0, 50).mapToObj(i -> message("k" + i, time.instant())).toList();
    all.forEach(inbox::receive);
    purgeAll();

    all.forEach(message -> assertThat(inbox().receive(message).isParked()).isTrue());
    assertThat(effects().count()).isEqualTo(50);
  }

  // The horizon

  @Test
  void announcesTheHorizonBeforeItPurgesByIt() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));

    janitor.pass();
    assertThat(inboxRows()).isEqualTo(1);
    time.advance(Duration.ofMillis(9_999));
    janitor.pass();
    assertThat(inboxRows()).isEqualTo(1);
    time.advance(Duration.ofMillis(1));
    janitor.pass();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void aJanitorThatTookOverWaitsToo() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofHours(1));

    Janitor other = janitor(BY_THE_DAY);
    other.pass();
    assertThat(inboxRows()).isEqualTo(1);
    time.advance(Duration.ofSeconds(10));
    other.pass();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void theHorizonNeverFalls() {
    inbox().receive(message("a", time.instant()));
    Janitor shorter = watched(Retention.of(WEEK));
    time.advance(WEEK);
    purge(shorter);
    InboxScopeTable scope = InboxSchema.ofConnection().scope();
    Instant announced = horizon().get(scope.horizon);

    purge(watched(Retention.of(WEEK.multipliedBy(3))));

    assertThat(horizon().get(scope.horizon)).isEqualTo(announced);
    assertThat(inbox().receive(message("a", announced)).isParked()).isTrue();
  }

  @Test
  void aLongerRetentionMakesNoMessageLate() {
    inbox().receive(message("a", time.instant()));
    watched(Retention.of(WEEK));
    watch(watched(Retention.of(WEEK)));

    // The horizon stays where it is for weeks; with the new margin beside it, all would be late.
    announceAndPurge(watched(Retention.of(WEEK.multipliedBy(5)).margin(Duration.ofDays(20))));

    assertThat(inbox().receive(message("b", time.instant())).isProcessed()).isTrue();
  }

  @Test
  void aLongerRetentionByTheTimeOfDayMakesNoMessageLate() {
    inbox().receive(message("a", time.instant()));
    announceAndPurge(janitor(Retention.of(Duration.ofHours(1)).byWallClock()));

    announceAndPurge(janitor(BY_THE_DAY));

    assertThat(inbox().receive(message("b", time.instant())).isProcessed()).isTrue();
  }

  @Test
  void anInstanceThatStoodStillDoesNotGoByAnOldHorizon() {
    Instant sent = time.instant();
    Inbox inbox = inbox();
    inbox.receive(message("a", sent));
    purgeAll();

    assertThat(inbox.receive(message("a", sent)).isParked()).isTrue();
  }

  // What would go

  @Test
  void thePreviewSaysWhatWouldGoAndChangesNothing() {
    Inbox inbox = inbox();
    IntStream.range(0, 3).forEach(i -> inbox.receive(message("old" + i, time.instant())));
    Instant oldest = time.instant();
    Janitor watcher = watched(Retention.of(WEEK.multipliedBy(10)));
    IntStream.range(0, 2).forEach(i -> inbox.receive(message("new" + i, time.instant())));
    time.advance(WEEK.minus(WATCHED.dividedBy(2)));
    watch(watcher);
    Janitor janitor = janitor(Retention.of(WEEK));
    List<String> before = tables();

    PurgePreview.Scope announced = previewOf(janitor);
    assertThat(announced.scope()).isEqualTo(TOPIC);
    assertThat(announced.now()).hasToString("0");
    assertThat(announced.soon()).hasToString("3");
    assertThat(announced.oldest()).contains(oldest);
    assertThat(announced.whyNone())
        .hasValueSatisfying(why -> assertThat(why).contains("announced"));
    time.advance(Duration.ofHours(1));
    assertThat(previewOf(janitor).soon()).hasToString("3");
    assertThat(tables()).isEqualTo(before);

    announceAndPurge(janitor);
    assertThat(inboxRows()).isEqualTo(2);
    assertThat(previewOf(janitor))
        .satisfies(
            purged -> {
              assertThat(purged.now().isNone()).isTrue();
              assertThat(purged.soon().isNone()).isTrue();
              assertThat(purged.horizon())
                  .hasValueSatisfying(
                      horizon -> assertThat(horizon).isAfterOrEqualTo(purged.purgeHorizon().get()));
              assertThat(purged.whyNone())
                  .hasValueSatisfying(why -> assertThat(why).contains("by 7 d; it shows "));
            });
  }

  @Test
  void thePreviewCountsByTheHorizonThatAPassPurgesBy() throws SQLException {
    inbox().receive(message("a", time.instant()));
    inbox().receive(message("b", time.instant()));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofSeconds(10));
    InboxTable table = InboxSchema.ofConnection().inbox();
    dsl()
        .transaction(
            tx -> {
              tx.dsl().selectFrom(table).where(table.scopeId.eq(scopeId())).forUpdate().fetch();
              janitor.pass(); // Purges by the horizon, and passes over both.
            });

    PurgePreview.Scope scope = previewOf(janitor);
    assertThat(scope.now()).isEqualTo(new PurgePreview.Rows(2, false));
    assertThat(scope.soon().isNone()).isTrue();
    assertThat(scope.whyNone()).isEmpty();
    assertThat(scope.purgeHorizon()).isPresent();
    assertThat(inboxRows()).isEqualTo(2);
  }

  @Test
  void thePreviewSaysWhatHoldsTheClock() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    time.advance(WEEK.multipliedBy(2));
    progress.silent(true);

    PurgePreview.Group held = janitor.preview().groups().get(0);
    assertThat(held.clock()).isEmpty();
    assertThat(held.heldBy()).contains("broker b does not answer");
    assertThat(held.scopes().get(0).soon().isNone()).isTrue();
    assertThat(held.scopes().get(0).whyNone())
        .hasValueSatisfying(
            why -> assertThat(why).contains("stands still: broker b does not answer"));
  }

  @Test
  void thePreviewOfAGroupThatIsNotWatchedYetLeavesNoTrace() {
    inbox().receive(message("a", time.instant()));
    List<String> before = tables();

    PurgePreview.Group group = janitor(Retention.of(WEEK)).preview().groups().get(0);

    assertThat(group.heldBy())
        .hasValueSatisfying(why -> assertThat(why).contains("has been watched for 0 ms of"));
    assertThat(tables()).isEqualTo(before);
  }

  @Test
  void thePreviewNeedsNoLeaseAndSaysWhoHasIt() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    assertThat(janitor.preview().leaseHolder()).isEmpty();
    hold("another one");

    assertThat(janitor.preview().leaseHolder()).contains("another one");
    assertThat(previewOf(janitor).soon()).hasToString("1");
    janitor.pass();
    assertThat(janitor.health().standby()).isTrue();
    time.advance(Duration.ofSeconds(90)); // As long as a holder may stand still.
    janitor.pass();
    assertThat(janitor.health().standby()).isFalse();
  }

  @Test
  void theParkedRowsAreNotInThePreview() {
    inbox().receive(message("a", time.instant()));
    InboxTable table = InboxSchema.ofConnection().inbox();
    dsl()
        .update(table)
        .set(table.state, RowState.PARKED.code())
        .where(table.scopeId.eq(scopeId()))
        .execute();
    time.advance(WEEK.multipliedBy(2));

    PurgePreview.Scope scope = previewOf(janitor(BY_THE_DAY));
    assertThat(scope.soon().isNone()).isTrue();
    assertThat(scope.oldest()).isEmpty();
    assertThat(scope.whyNone()).hasValueSatisfying(why -> assertThat(why).contains("parked"));
  }

  private static PurgePreview.Scope previewOf(Janitor janitor) {
    return janitor.preview().groups().get(0).scopes().get(0);
  }

  /** Has another janitor take the lease, which every database has one of. */
  private void hold(String holder) {
    InboxLeaseTable lease = InboxSchema.ofConnection().lease();
    assertThat(dsl().update(lease).set(lease.holder, holder).execute()).isEqualTo(1);
  }

  /** Returns all that a janitor may change for the group. */
  private List<String> tables() {
    InboxSchema schema = InboxSchema.ofConnection();
    return Stream.of(
            dsl().selectFrom(schema.scope()).where(schema.scope().consumerGroup.eq(group)),
            dsl().selectFrom(schema.queue()).where(schema.queue().consumerGroup.eq(group)),
            dsl().selectFrom(schema.clock()).where(schema.clock().consumerGroup.eq(group)),
            dsl().selectFrom(schema.inbox()).where(schema.inbox().scopeId.eq(scopeId())),
            dsl().selectFrom(schema.lease()))
        .flatMap(rows -> rows.fetch().stream())
        .map(row -> Arrays.deepToString(row.intoArray()))
        .sorted()
        .toList();
  }

  // One at a time, in small pieces

  // BC-36, BC-74
  @Test
  void onlyOnePurgesAtATime() {
    IntStream.range(0, 600).forEach(i -> inbox().receive(message("k" + i, time.instant())));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofSeconds(10));
    List<Janitor> three = List.of(janitor(BY_THE_DAY), janitor(BY_THE_DAY), janitor);
    three.stream()
        .map(one -> CompletableFuture.runAsync(one::pass, InboxContract.THREADS))
        .toList()
        .forEach(CompletableFuture::join);
    three.forEach(JanitorContract::passOnce);
    time.advance(Duration.ofSeconds(10));
    three.forEach(JanitorContract::passOnce);

    assertThat(inboxRows()).isZero();
    assertThat(three.stream().mapToLong(one -> one.health().rowsPurged()).sum()).isEqualTo(600);
  }

  // BC-36
  @Test
  void purgesMuchWhileMuchComesWithoutADeadlock() throws Exception {
    inbox().receive(message("first", time.instant()));
    write("old", 6_000, time.instant());
    time.advance(WEEK.plusSeconds(1));
    write("live", 1_000, time.instant());
    PurgesAtOnce purges = new PurgesAtOnce();
    List<Janitor> three =
        IntStream.range(0, 3)
            .mapToObj(
                i ->
                    open(
                        builder ->
                            builder
                                .group(group, BY_THE_DAY)
                                .nanoTime(() -> time.nanos() + System.nanoTime())
                                .passTime(Duration.ofMillis(100)),
                        purges.watching(dialect())))
            .toList();
    three.forEach(JanitorContract::passOnce);
    time.advance(Duration.ofSeconds(10));
    three.forEach(JanitorContract::passOnce);
    time.advance(Duration.ofSeconds(10));
    List<InboxEvent.Retried> retried = new CopyOnWriteArrayList<>();
    Inbox inbox =
        Inbox.builder(group, dsl(), dialect())
            .clock(time)
            .listener(
                event -> {
                  if (event instanceof InboxEvent.Retried again) {
                    retried.add(again);
                  }
                })
            .handler(TOPIC, BY_KEYS, Effects.handler())
            .build();
    int sent = 0;
    try (InboxLanes lanes = new InboxLanes(group, inbox, LaneSettings.DEFAULTS)) {
      List<CompletableFuture<Void>> purging =
          three.stream()
              .map(one -> CompletableFuture.runAsync(() -> passAll(one), InboxContract.THREADS))
              .toList();
      CompletableFuture<Void> all =
          CompletableFuture.allOf(purging.toArray(CompletableFuture<?>[]::new));
      while (!all.isDone()) {
        int from = sent;
        List<InboxMessage> next =
            IntStream.range(from, from + 500)
                .mapToObj(i -> message("new" + i, time.instant()))
                .toList();
        lanes.submit(next).forEach(receipt -> assertThat(receipt.join().isProcessed()).isTrue());
        sent += next.size();
      }
      all.join();
    }

    assertThat(three.stream().mapToLong(one -> one.health().rowsPurged()).sum()).isEqualTo(6_001);
    assertThat(keysLike("old%")).isZero();
    assertThat(keysLike("live%")).isEqualTo(1_000);
    assertThat(keysLike("new%")).isEqualTo(sent).isPositive();
    assertThat(effects().count()).isEqualTo(sent + 1);
    assertThat(retried).isEmpty();
    assertThat(purges.most()).isEqualTo(1);
  }

  /** Purges for as long as any rows may go, whoever of the janitors has the lease. */
  private void passAll(Janitor janitor) {
    while (keysLike("old%") > 0) {
      passOnce(janitor);
    }
  }

  private int keysLike(String pattern) {
    InboxTable table = InboxSchema.ofConnection().inbox();
    return dsl().fetchCount(table, table.scopeId.eq(scopeId()).and(table.dedupKey.like(pattern)));
  }

  /** Writes rows as a claim does, many at a time. */
  private void write(String prefix, int count, Instant at) throws SQLException {
    short scope = scopeId();
    try (Connection connection = database().dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int from = 0; from < count; from += 500) {
        List<InboxRow> rows =
            IntStream.range(from, from + 500)
                .mapToObj(i -> "%s%06d".formatted(prefix, i))
                .map(key -> new InboxRow(scope, key, RowState.PROCESSED, at, at, key, 0))
                .toList();
        dialect().claim(connection, InboxSchema.ofConnection(), rows, Duration.ofSeconds(20));
        connection.commit();
      }
    }
  }

  /** Counts how many purges run at the same time. Thread-safe. */
  private static final class PurgesAtOnce {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    int most() {
      return most.get();
    }

    StoreDialect watching(StoreDialect dialect) {
      return (StoreDialect)
          Proxy.newProxyInstance(
              StoreDialect.class.getClassLoader(),
              new Class<?>[] {StoreDialect.class},
              (proxy, method, arguments) -> {
                boolean purge = method.getName().equals("purge");
                if (purge) {
                  most.accumulateAndGet(now.incrementAndGet(), Math::max);
                }
                try {
                  return method.invoke(dialect, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                } finally {
                  if (purge) {
                    now.decrementAndGet();
                  }
                }
              });
    }
  }

  private static void passOnce(Janitor janitor) {
    boolean unused = janitor.pass();
  }

  @Test
  void oneThatHasMuchToPurgeLetsOthersHaveTheirTurn() throws SQLException {
    String other = group + "-other";
    inbox().receive(message("first", time.instant()));
    write("old", 40_000, time.instant());
    Inbox.builder(other, dsl(), dialect())
        .clock(time)
        .handler(TOPIC, BY_KEYS, Effects.handler())
        .build()
        .receive(message("other", time.instant()));
    time.advance(WEEK.plusSeconds(1));
    Janitor both = open(builder -> builder.group(group, BY_THE_DAY).group(other, BY_THE_DAY));
    both.pass();
    time.advance(Duration.ofSeconds(10));
    InboxScopeTable scope = InboxSchema.ofConnection().scope();
    dsl()
        .update(scope)
        .set(scope.purgeHorizon, scope.horizon)
        .where(scope.consumerGroup.in(group, other))
        .execute();

    UnaryOperator<Janitor.Builder> busy =
        builder ->
            builder
                .nanoTime(System::nanoTime)
                .interval(Duration.ofSeconds(1))
                .passTime(Duration.ofMillis(10));
    open(builder -> busy.apply(builder).group(group, BY_THE_DAY)).start();
    await().until(() -> purgedOf(group).findAny().isPresent());
    open(builder -> busy.apply(builder).group(other, BY_THE_DAY)).start();

    await().atMost(Duration.ofMinutes(1)).until(() -> purgedOf(other).findAny().isPresent());
    assertThat(inboxRows()).isPositive();
  }

  private Stream<JanitorEvent.Purged> purgedOf(String consumerGroup) {
    return told.stream()
        .filter(JanitorEvent.Purged.class::isInstance)
        .map(JanitorEvent.Purged.class::cast)
        .filter(purged -> purged.consumerGroup().equals(consumerGroup));
  }

  @Test
  void aGroupThatFailsKeepsNoOtherFromItsTurn() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor =
        open(
            builder ->
                builder
                    .group("broken " + group, Retention.of(WEEK), new BrokenProgress())
                    .group(group, BY_THE_DAY));
    time.advance(WEEK.plusSeconds(1));

    assertThatThrownBy(janitor::pass).hasMessage("broken on purpose");
    time.advance(Duration.ofSeconds(10));
    assertThatThrownBy(janitor::pass).hasMessage("broken on purpose");

    assertThat(inboxRows()).isZero();
    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains("failed for broken " + group, "broken on purpose");
  }

  @Test
  void aGroupThatFailsDoesNotSlowTheOthersDown() {
    BrokenProgress broken = new BrokenProgress();
    open(builder ->
            builder
                .group("broken " + group, Retention.of(WEEK), broken)
                .group(group, BY_THE_DAY)
                .nanoTime(System::nanoTime)
                .interval(Duration.ofSeconds(5)))
        .start();

    // After passes that failed for all, the fourth would come after a minute.
    await().atMost(Duration.ofSeconds(40)).until(() -> broken.asked.get() >= 4);
  }

  private static final class BrokenProgress implements GroupProgress {
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public List<QueueProgress> queues() {
      asked.incrementAndGet();
      throw new IllegalStateException("broken on purpose");
    }

    @Override
    public BrokerTimes times() throws ProgressUnknownException {
      throw new ProgressUnknownException("not known");
    }

    @Override
    public void close() {}
  }

  /** Such as by a time limit of the role's: with the same batch, it would fail for ever. */
  @Test
  void aBatchThatFailsIsFollowedByASmallerOne() throws SQLException {
    inbox().receive(message("first", time.instant()));
    write("old", 1_000, time.instant());
    Janitor janitor =
        open(
            builder -> builder.group(group, BY_THE_DAY),
            failing(batch -> batch.limit() > 100, dialect()));
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofSeconds(10));

    for (int pass = 0; pass < 3; pass++) {
      assertThatThrownBy(janitor::pass).hasStackTraceContaining("broken on purpose");
    }
    janitor.pass(); // By as many rows as did not fail, and no more for long.

    assertThat(inboxRows()).isZero();
  }

  @Test
  void countsWhatWentBeforeABatchFailed() throws SQLException {
    inbox().receive(message("first", time.instant()));
    write("old", 1_000, time.instant());
    AtomicInteger batches = new AtomicInteger();
    Janitor janitor =
        open(
            builder -> builder.group(group, BY_THE_DAY),
            failing(batch -> batches.incrementAndGet() == 2, dialect()));
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofSeconds(10));

    assertThatThrownBy(janitor::pass).hasStackTraceContaining("broken on purpose");

    long gone = 1_001L - inboxRows();
    assertThat(janitor.health().rowsPurged()).isPositive().isEqualTo(gone);
    assertThat(purgedOf(group))
        .singleElement()
        .satisfies(purged -> assertThat(purged.rows()).isEqualTo(gone))
        .satisfies(purged -> assertThat(purged.moreWait()).isTrue());
  }

  private static StoreDialect failing(Predicate<PurgeBatch> fails, StoreDialect dialect) {
    return (StoreDialect)
        Proxy.newProxyInstance(
            StoreDialect.class.getClassLoader(),
            new Class<?>[] {StoreDialect.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("purge") && fails.test((PurgeBatch) arguments[2])) {
                throw new SQLTimeoutException("broken on purpose");
              }
              try {
                return method.invoke(dialect, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void passesOverWhatIsLocked() throws SQLException {
    Inbox inbox = inbox();
    inbox.receive(message("a", time.instant()));
    inbox.receive(message("b", time.instant()));
    Janitor janitor = janitor(BY_THE_DAY);
    time.advance(WEEK.plusSeconds(1));
    janitor.pass();
    time.advance(Duration.ofSeconds(10));
    InboxTable table = InboxSchema.ofConnection().inbox();
    dsl()
        .transaction(
            tx -> {
              tx.dsl()
                  .select(table.dedupKey)
                  .from(table)
                  .where(table.scopeId.eq(scopeId()))
                  .and(table.dedupKey.eq("a"))
                  .forUpdate()
                  .fetch();
              janitor.pass();
              assertThat(inboxRows()).isEqualTo(1);
            });

    janitor.pass();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void saysWhatItDidAndHowItDoes() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    time.advance(WEEK);
    purge(janitor);

    assertThat(told)
        .singleElement()
        .isInstanceOfSatisfying(
            JanitorEvent.Purged.class,
            purged -> {
              assertThat(purged.consumerGroup()).isEqualTo(group);
              assertThat(purged.scope()).isEqualTo(TOPIC);
              assertThat(purged.rows()).isEqualTo(1);
              assertThat(purged.moreWait()).isFalse();
            });
    JanitorHealth health = janitor.health();
    assertThat(health.isGood()).isTrue();
    assertThat(health.rowsPurged()).isEqualTo(1);
    assertThat(health.lastPass()).contains(time.instant());
    JanitorHealth.Scope scope = health.groups().get(0).scopes().get(0);
    assertThat(scope.purgeHorizon()).isPresent();
    assertThat(scope.horizon())
        .hasValueSatisfying(
            horizon -> assertThat(horizon).isAfterOrEqualTo(scope.purgeHorizon().orElseThrow()));
    assertThat(scope.oldestExpired()).isEmpty();
  }

  // BC-38
  @Test
  void saysHowFarTheClockOfTheDatabaseIsAhead() {
    Duration behind = Duration.ofHours(3);
    Janitor janitor =
        open(
            builder ->
                builder
                    .clock(InstantSource.offset(InstantSource.system(), behind.negated()))
                    .group(group, BY_THE_DAY));

    janitor.pass();

    assertThat(janitor.health().groups().get(0).databaseSkew())
        .hasValueSatisfying(skew -> assertThat(skew).isCloseTo(behind, Duration.ofMinutes(5)));
  }

  @Test
  void saysThatItDoesNotGetOn() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    time.advance(Duration.ofMinutes(6));
    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains("no pass has come to its end");
  }
}
