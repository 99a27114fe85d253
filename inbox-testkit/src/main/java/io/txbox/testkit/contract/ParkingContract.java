package io.txbox.testkit.contract;

import static io.txbox.inbox.Receipt.Outcome.PARKED;
import static io.txbox.inbox.Receipt.Outcome.PROCESSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.HandlerFailedException;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.store.InboxParkedTable;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.ParkReason;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.junit.jupiter.api.Test;

/** NOTHING-LOST: what cannot be handled is parked, once, with all that it came with. */
public abstract class ParkingContract extends DatabaseContract {
  private static final String FAILS = "fails";
  private static final LaneSettings ONE_LANE = LaneSettings.DEFAULTS.withLanes(1);

  /** For subclasses. */
  protected ParkingContract() {}

  private static Optional<String> account(InboxMessage message) {
    return message.property("account");
  }

  /** Has its effect, and then fails if the message says so. */
  private static void handle(InboxMessage message, DSLContext tx) throws Exception {
    Effects.handler().handle(message, tx);
    if (message.property(FAILS).isPresent()) {
      throw new IOException("as it was told\u0000, for ever");
    }
  }

  private Inbox inbox(int maxAttempts, ExhaustedPolicy policy) {
    return inbox(maxAttempts, policy, ParkingContract::handle);
  }

  private Inbox inbox(int maxAttempts, ExhaustedPolicy policy, InboxHandler handler) {
    return builder(dsl())
        .handler(
            TOPIC,
            BY_KEYS,
            handler,
            route -> route.orderingKey(ParkingContract::account).maxAttempts(maxAttempts, policy))
        .build();
  }

  private static InboxMessage.Builder of(String account, String key) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property("account", account);
  }

  private static InboxMessage good(String account, String key) {
    return of(account, key).build();
  }

  private static InboxMessage bad(String account, String key, int attempt) {
    return of(account, key).property(FAILS, "").attempt(attempt).body(new byte[] {1, 0}).build();
  }

  private List<Record> parked() {
    InboxParkedTable parked = InboxSchema.ofConnection().parked();
    InboxScopeTable scope = InboxSchema.ofConnection().scope();
    return List.copyOf(
        dsl()
            .select(parked.asterisk())
            .from(parked)
            .join(scope)
            .on(scope.id.eq(parked.scopeId))
            .where(scope.consumerGroup.eq(group))
            .orderBy(parked.id)
            .fetch());
  }

  private <T> List<T> parked(Function<InboxParkedTable, Field<T>> column) {
    Field<T> field = column.apply(InboxSchema.ofConnection().parked());
    return parked().stream().map(row -> row.get(field)).toList();
  }

  @Test
  void parksAMessageAtItsLastAttemptWithWhyItFailed() {
    Inbox inbox = inbox(3, ExhaustedPolicy.PARK);

    for (int attempt = 1; attempt < 3; attempt++) {
      InboxMessage message = bad("x", "a", attempt);
      assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(HandlerFailedException.class);
    }
    assertThat(parked()).isEmpty();
    Receipt receipt = inbox.receive(bad("x", "a", 3));

    assertThat(receipt.isParked()).isTrue();
    assertThat(receipt.parkReason()).hasValue(ParkReason.EXHAUSTED);
    assertThat(effects().count()).isZero();
    assertThat(parked(table -> table.reason)).containsExactly("EXHAUSTED");
    assertThat(parked(table -> table.detail).get(0)).contains("as it was told?, for ever");
    assertThat(parked(table -> table.attempt)).containsExactly(3);
    assertThat(parked(table -> table.body)).containsExactly(new byte[] {1, 0});
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(2);
    assertThat(events.of(InboxEvent.Parked.class))
        .singleElement()
        .satisfies(
            event -> assertThat(event.failure()).get().isInstanceOf(HandlerFailedException.class));
  }

  @Test
  void aCopyOfAParkedMessageIsADuplicate() {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK);
    inbox.receive(bad("x", "a", 1));

    assertThat(inbox.receive(bad("x", "a", 2)).isDuplicate()).isTrue();
    assertThat(inbox.receive(bad("x", "a", 1)).isDuplicate()).isTrue();

    assertThat(parked()).hasSize(1);
    assertThat(inboxRows()).isEqualTo(1);
  }

  @Test
  void doesNotParkWhatComesThroughAtItsLastAttempt() {
    Inbox inbox = inbox(2, ExhaustedPolicy.PARK);

    assertThat(inbox.receive(of("x", "a").attempt(2).build()).isProcessed()).isTrue();
    assertThat(inbox.receive(of("x", "b").attempt(9).build()).isProcessed()).isTrue();

    assertThat(parked()).isEmpty();
    assertThat(effects().all()).containsExactly("a", "b");
  }

  @Test
  void failsAsOftenAsItIsDeliveredWithoutAPolicy() {
    Inbox inbox = inbox(ParkingContract::handle);

    assertThatThrownBy(() -> inbox.receive(bad("x", "a", 1_000)))
        .isInstanceOf(HandlerFailedException.class);

    assertThat(parked()).isEmpty();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void comesAgainIfItCannotBeParked() {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK);
    inbox.check();
    dsl().execute("ALTER TABLE inbox_parked RENAME TO inbox_parked_away");
    try {
      assertThatThrownBy(() -> inbox.receive(bad("x", "a", 1)))
          .isInstanceOf(HandlerFailedException.class)
          .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
      assertThat(inboxRows()).isZero();
    } finally {
      dsl().execute("ALTER TABLE inbox_parked_away RENAME TO inbox_parked");
    }

    assertThat(inbox.receive(bad("x", "a", 2)).isParked()).isTrue();
    assertThat(parked()).hasSize(1);
  }

  @Test
  void parksWhatFollowsAParkedMessageByItsOrderingKey() {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK_SEQUENCE);
    inbox.receive(bad("x", "a", 1));

    Receipt follower = inbox.receive(good("x", "b"));

    assertThat(follower.parkReason()).hasValue(ParkReason.SEQUENCE);
    assertThat(inbox.receive(good("x", "b")).isDuplicate()).isTrue();
    assertThat(inbox.receive(good("X", "c")).isProcessed()).isTrue();
    assertThat(inbox.receive(good("x ", "d")).isProcessed()).isTrue();
    assertThat(parked(table -> table.reason)).containsExactly("EXHAUSTED", "SEQUENCE");
    assertThat(effects().all()).containsExactly("c", "d");
  }

  @Test
  void aSequenceGoesOnOnceNothingOfItIsParked() {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK_SEQUENCE);
    inbox.receive(bad("x", "a", 1));
    inbox.receive(good("x", "b"));
    InboxParkedTable parked = InboxSchema.ofConnection().parked();

    dsl().update(parked).setNull(parked.body).where(parked.dedupKey.eq("a")).execute();
    assertThat(inbox.receive(good("x", "c")).isParked()).isTrue();
    dsl().update(parked).setNull(parked.body).where(parked.scopeId.in(scopeIds())).execute();

    assertThat(inbox.receive(good("x", "d")).isProcessed()).isTrue();
  }

  private List<Short> scopeIds() {
    InboxScopeTable scope = InboxSchema.ofConnection().scope();
    return dsl().select(scope.id).from(scope).where(scope.consumerGroup.eq(group)).fetch(scope.id);
  }

  @Test
  void whatFollowsAMessageParkedByAPolicyForItAloneGoesOn() {
    inbox(1, ExhaustedPolicy.PARK).receive(bad("x", "a", 1));

    assertThat(inbox(1, ExhaustedPolicy.PARK_SEQUENCE).receive(good("x", "b")).isProcessed())
        .isTrue();
  }

  @Test
  void aLongOrderingKeyIsAnotherThanOneThatBeginsLikeIt() {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK_SEQUENCE);
    String account = "k".repeat(2_000);
    inbox.receive(bad(account + "1", "a", 1));

    assertThat(inbox.receive(good(account + "2", "b")).isProcessed()).isTrue();
    assertThat(inbox.receive(good(account + "1", "c")).isParked()).isTrue();
  }

  // BC-51
  @Test
  void parksTheFailedOneOfAQueueInTheMidstOfABatch() throws Exception {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK);
    try (InboxLanes lanes = new InboxLanes(group, inbox, ONE_LANE)) {
      lanes.pause();
      List<CompletableFuture<Receipt>> receipts =
          lanes.submitInOrder(
              "q", List.of(good("x", "a"), bad("x", "b", 1), good("x", "c"), good("y", "d")));
      lanes.resume();

      assertThat(outcomes(receipts)).containsExactly(PROCESSED, PARKED, PROCESSED, PROCESSED);
    }
    assertThat(effects().all()).containsExactly("a", "c", "d");
    assertThat(events.of(InboxEvent.Processed.class))
        .extracting(event -> event.key().value())
        .containsExactly("a", "c", "d");
  }

  // BC-51
  @Test
  void parksTheSequenceOfTheFailedOneInTheMidstOfABatch() throws Exception {
    Inbox inbox = inbox(1, ExhaustedPolicy.PARK_SEQUENCE);
    try (InboxLanes lanes = new InboxLanes(group, inbox, ONE_LANE)) {
      lanes.pause();
      List<CompletableFuture<Receipt>> receipts =
          lanes.submitInOrder(
              "q",
              List.of(
                  good("x", "a"),
                  bad("x", "b", 1),
                  good("y", "c"),
                  good("x", "d"),
                  good("y", "e"),
                  bad("x", "f", 1)));
      lanes.resume();

      assertThat(outcomes(receipts))
          .containsExactly(PROCESSED, PARKED, PROCESSED, PARKED, PROCESSED, PARKED);
    }
    assertThat(effects().all()).containsExactly("a", "c", "e");
    assertThat(parked(table -> table.dedupKey)).containsExactly("b", "d", "f");
    assertThat(parked(table -> table.reason)).containsExactly("EXHAUSTED", "SEQUENCE", "SEQUENCE");
  }

  @Test
  void whatIsStoppedOnItsWayIsNotParked() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Inbox inbox =
        inbox(
            1,
            ExhaustedPolicy.PARK,
            (message, tx) -> {
              begun.countDown();
              new CountDownLatch(1).await();
            });
    CompletableFuture<Receipt> receipt;
    try (InboxLanes lanes = new InboxLanes(group, inbox, ONE_LANE)) {
      receipt = lanes.submitInOrder("q", List.of(good("x", "a"))).get(0);
      begun.await();
    }

    assertThat(receipt).isCompletedExceptionally();
    assertThat(parked()).isEmpty();
  }

  private static List<Receipt.Outcome> outcomes(List<CompletableFuture<Receipt>> receipts)
      throws Exception {
    CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    return receipts.stream().map(receipt -> receipt.join().outcome()).toList();
  }
}
