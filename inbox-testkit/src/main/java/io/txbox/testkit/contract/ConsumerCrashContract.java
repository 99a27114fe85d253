package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.InboxMessage;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.testkit.network.TcpProxy;
import io.txbox.testkit.network.TcpProxy.Strike;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** ATOMIC and ACK-AFTER-COMMIT when the consumer's process is killed (SIGKILL), at any time. */
public abstract class ConsumerCrashContract extends SharedBrokerContract {
  private static final String GATE = "gate";
  private static final String ACCOUNT = "alice";

  /** For subclasses. */
  protected ConsumerCrashContract() {}

  /** Returns a class whose {@code main} calls {@link ConsumerProcessMain#run} with the dialect. */
  protected abstract Class<?> consumerMain();

  /** Makes the driver send each COMMIT as plain text, by which the proxy knows it. */
  protected abstract void sendPlainCommits(HikariConfig pool);

  private ConsumerProcess.Builder process() {
    return ConsumerProcess.of(consumerMain(), broker().nameServer(), database(), group, topic);
  }

  // BC-46, BC-47
  @ParameterizedTest
  @EnumSource
  void hasOneEffectWhenItIsKilledAfter(FlowStep step) {
    effects().open(ACCOUNT);
    sendCredit("a", 100);

    killAt(step);

    assertThat(effects().all()).isEqualTo(step.isCommitted() ? List.of("a") : List.of());
    assertThat(effects().balance()).isEqualTo(step.isCommitted() ? 100 : 0);
    assertThat(inboxRows()).isEqualTo(step.isCommitted() ? 1 : 0);
    assertThat(scopeRows()).isEqualTo(step.compareTo(FlowStep.SCOPE_COMMITTED) >= 0 ? 1 : 0);
    boolean acknowledged = isAcknowledged();
    if (step != FlowStep.ACKNOWLEDGED) { // The client may have stored it by itself by then.
      assertThat(acknowledged).isEqualTo(step == FlowStep.OFFSET_STORED);
    }

    sendCredit("b", 1);
    start(Effects.handler());
    awaitAllAcknowledged();
    assertThat(keysOf(events.of(InboxEvent.Processed.class)))
        .containsExactlyInAnyOrderElementsOf(step.isCommitted() ? List.of("b") : List.of("a", "b"));
    assertThat(events.of(InboxEvent.Duplicate.class))
        .hasSize(step.isCommitted() && !acknowledged ? 1 : 0)
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(effects().all()).containsExactly("a", "b");
    assertThat(effects().balance()).isEqualTo(101);
    assertThat(inboxRows()).isEqualTo(2);
    assertThat(scopeRows()).isEqualTo(1);
  }

  private void killAt(FlowStep step) {
    switch (step) {
      case COMMIT_SENT -> killWhen(Strike.HOLD, 0);
      case COMMIT_DONE -> killWhen(Strike.HANG, 1);
      default -> {
        try (ConsumerProcess killed = process().haltAt(step).start()) {
          killed.awaitHalt(step);
          if (step == FlowStep.OFFSET_STORED) { // The client does not wait for that itself.
            soon().until(this::isAcknowledged);
          }
          killed.kill();
        }
      }
    }
  }

  private boolean isAcknowledged() {
    return broker().committedOffset(group, topic, 0).orElse(0) > 0;
  }

  /** Kills it when its COMMIT is on the way to the database, or the answer on the way back. */
  private void killWhen(Strike strike, int committed) {
    try (TcpProxy proxy = TcpProxy.to(database().host(), database().port());
        ConsumerProcess killed =
            process()
                .haltAt(FlowStep.HANDLER_RETURNED)
                .pool(pool -> pool.setJdbcUrl(database().jdbcUrl(proxy.host(), proxy.port())))
                .pool(this::sendPlainCommits)
                .start()) {
      killed.awaitHalt(FlowStep.HANDLER_RETURNED);
      CompletableFuture<Void> struck = proxy.onClientBytes(commitOnTheWire(), strike);
      killed.release();
      soon().until(() -> struck.isDone() && effects().count() == committed);
      killed.kill();
    }
  }

  // BC-46
  @Test
  void leavesNothingWhenItIsKilledInItsTransaction() throws SQLException {
    Effects.add(dsl(), GATE);
    producer
        .message(topic, "body")
        .key("a")
        .property(Effects.NAME, "a")
        .property(Effects.TOUCHES, GATE)
        .send();

    try (RowLock lock = RowLock.hold(database(), GATE)) {
      try (ConsumerProcess killed = process().start()) {
        soon().until(() -> LockWaits.count(dsl()) == 1);
        killed.kill();
      }
      // Its session does not know yet, and still has the key claimed: the next one waits for it.
      start(Effects.handler());
      soon().until(() -> LockWaits.count(dsl()) == 2);
      assertThat(inboxRows()).isZero();
      assertThat(effects().all()).containsExactly(GATE);
      lock.release();

      awaitAllAcknowledged();
    }
    assertThat(events.of(InboxEvent.Processed.class)).hasSize(1);
    assertThat(effects().all()).containsExactly("a", GATE);
    assertThat(inboxRows()).isEqualTo(1);
  }

  // BC-46
  @Test
  void leavesNothingWhenItIsKilledWhileItsClaimWaits() throws Exception {
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    Inbox rival =
        builder(dsl())
            .handler(
                topic,
                BY_KEYS,
                (message, tx) -> {
                  claimed.countDown();
                  mayFail.await(60, TimeUnit.SECONDS);
                  throw new IOException("rolled back");
                })
            .build();
    CompletableFuture<Void> rivalry =
        CompletableFuture.runAsync(() -> rival.receive(rivalOf("a")), InboxContract.THREADS);
    InboxContract.awaitLatch(claimed);
    send(0, "a");

    try (ConsumerProcess killed = process().start()) {
      soon().until(() -> LockWaits.count(dsl()) == 1);
      killed.kill();
    }
    // Its session does not know yet, and gets the key when the rival rolls back.
    mayFail.countDown();
    assertThat(rivalry).failsWithin(Duration.ofSeconds(10));
    soon().until(() -> LockWaits.count(dsl()) == 0);
    assertThat(inboxRows()).isZero();

    start(Effects.handler());
    awaitAllAcknowledged();
    assertThat(keysOf(events.of(InboxEvent.Processed.class))).containsExactly("a");
    assertThat(effects().all()).containsExactly("a");
    assertThat(inboxRows()).isEqualTo(1);
  }

  // BC-47
  @Test
  void skipsWhatWasCommittedBeforeItWasKilled() {
    List<String> keys = IntStream.range(0, 20).mapToObj(i -> "p" + i).toList();
    keys.forEach(this::send);

    try (ConsumerProcess killed = process().start()) {
      soon().pollInterval(Duration.ofMillis(5)).until(() -> effects().count() > 0);
      killed.kill();
    }
    start(Effects.handler());

    awaitAllAcknowledged();
    assertThat(events.of(InboxEvent.Duplicate.class))
        .isNotEmpty()
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(inboxRows()).isEqualTo(keys.size());
  }

  private void sendCredit(String key, int cents) {
    producer
        .message(topic, "body of " + key)
        .key(key)
        .property(Effects.NAME, key)
        .property(Effects.CREDITS, ACCOUNT)
        .property(Effects.CENTS, String.valueOf(cents))
        .queue(0)
        .send();
  }

  private InboxMessage rivalOf(String key) {
    return InboxMessage.builder(topic).keys(key).build();
  }

  private static List<String> keysOf(List<InboxEvent.Processed> processed) {
    return processed.stream().map(event -> event.key().value()).toList();
  }

  private int scopeRows() {
    InboxScopeTable scopes = InboxSchema.ofConnection().scope();
    return dsl().fetchCount(scopes, scopes.consumerGroup.eq(group));
  }
}
