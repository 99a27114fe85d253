package io.txbox.testkit.contract;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.DatabaseFailedException;
import io.txbox.DeliveryException;
import io.txbox.InboxMessage;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.Receipt;
import io.txbox.testkit.network.TcpProxy;
import io.txbox.testkit.network.TcpProxy.Strike;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * ATOMIC, ACK-AFTER-COMMIT and FAIL-CLOSED when the connection dies, at any step of the way. Most
 * look at one attempt: the retries, which would hide what it said, are off.
 */
public abstract class ConnectionLossContract extends DatabaseContract {
  private TcpProxy proxy;
  private DSLContext unreliable;

  /** For subclasses. */
  protected ConnectionLossContract() {}

  /** Makes the driver send each COMMIT as plain text, by which the proxy knows it. */
  protected abstract void sendPlainCommits(HikariConfig pool);

  @Override
  Inbox.Builder builder(DSLContext dsl) {
    return super.builder(dsl).maxTransientRetries(0);
  }

  @BeforeEach
  void connectThroughProxy() {
    proxy = TcpProxy.to(database().host(), database().port());
    unreliable =
        dslThrough(
            proxy,
            pool -> {
              pool.setMaximumPoolSize(2);
              sendPlainCommits(pool);
            });
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  // BC-26
  @Test
  void doesNotAcknowledgeACommitWhoseAnswerWasLost() {
    Inbox inbox = inbox(unreliable, Effects.handler());
    inbox.receive(message("warm-up"));
    InboxMessage message = message("a");
    CompletableFuture<Void> struck = proxy.onClientBytes(commitOnTheWire(), Strike.LOSE_REPLY);

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DatabaseFailedException.class);

    assertThat(struck).isCompleted();
    assertThat(effects().all()).containsExactly("a", "warm-up");
    assertThat(inbox.receive(message).duplicateCause()).contains(DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactly("a", "warm-up");
  }

  // BC-26
  @Test
  void doesNotAcknowledgeACommitThatNeverArrived() {
    Inbox inbox = inbox(unreliable, Effects.handler());
    inbox.receive(message("warm-up"));
    InboxMessage message = message("a");
    CompletableFuture<Void> struck = proxy.onClientBytes(commitOnTheWire(), Strike.LOSE_REQUEST);

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DatabaseFailedException.class);

    assertThat(struck).isCompleted();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a", "warm-up");
  }

  // BC-26
  @ParameterizedTest
  @EnumSource(names = {"LOSE_REQUEST", "LOSE_REPLY"})
  void letsTheNextClaimDecideOnACommitInDoubt(Strike strike) {
    Inbox inbox = super.builder(unreliable).handler(TOPIC, BY_KEYS, Effects.handler()).build();
    inbox.receive(message("warm-up"));
    CompletableFuture<Void> struck = proxy.onClientBytes(commitOnTheWire(), strike);

    Receipt receipt = inbox.receive(message("a"));

    assertThat(struck).isCompleted();
    assertThat(receipt.isProcessed()).isEqualTo(strike == Strike.LOSE_REQUEST);
    assertThat(events.of(InboxEvent.Retried.class)).hasSize(1);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(effects().all()).containsExactly("a", "warm-up");
  }

  // FAIL-CLOSED
  @ParameterizedTest
  @MethodSource("strikes")
  void hasOneEffectWhenTheConnectionDiesAt(Statement statement, Strike strike) {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            unreliable,
            (message, tx) -> {
              runs.incrementAndGet();
              Effects.handler().handle(message, tx);
            });
    inbox.check();
    InboxMessage message = message("a");
    CompletableFuture<Void> struck = proxy.onClientBytes(statement.bytes(), strike);

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DatabaseFailedException.class);

    assertThat(struck).isCompleted();
    assertThat(runs).hasValue(0);
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(inboxRows()).isZero();
    assertThat(effects().count()).isZero();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(inbox.receive(message).duplicateCause()).contains(DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactly("a");
    assertThat(inboxRows()).isEqualTo(1);
  }

  static List<Arguments> strikes() {
    return Stream.of(Statement.values())
        .flatMap(
            statement ->
                Stream.of(Strike.LOSE_REQUEST, Strike.LOSE_REPLY)
                    .map(strike -> Arguments.of(statement, strike)))
        .toList();
  }

  /** The statements before the handler's, by a text that is first sent with them. */
  private enum Statement {
    SCOPE_LOOKUP("consumer_group"),
    SCOPE_INSERT("created_at"),
    CLAIM("body_fingerprint");

    private final String text;

    Statement(String text) {
      this.text = text;
    }

    byte[] bytes() {
      return text.getBytes(US_ASCII);
    }
  }

  // FAIL-CLOSED
  @ParameterizedTest
  @EnumSource(names = {"LOSE_REQUEST", "LOSE_REPLY"})
  void doesNotAcknowledgeADuplicateWhoseCauseItCouldNotRead(Strike strike) {
    Inbox inbox = inbox(unreliable, Effects.handler());
    InboxMessage message = message("a");
    inbox.receive(message);
    // What the question for the row that is in the way says, and the claim does not.
    CompletableFuture<Void> struck =
        proxy.onClientBytes("body_fingerprint FROM".getBytes(US_ASCII), strike);

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DatabaseFailedException.class);

    assertThat(struck).isCompleted();
    assertThat(events.of(InboxEvent.Duplicate.class)).isEmpty();
    assertThat(inbox.receive(message).duplicateCause()).contains(DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactly("a");
  }

  @Test
  void storesNothingWhenTheConnectionDiesInTheHandler() {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            unreliable,
            (message, tx) -> {
              Effects.add(tx, "a");
              if (runs.incrementAndGet() == 1) {
                proxy.cut();
              }
            });
    InboxMessage message = message("a");

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DeliveryException.class);

    assertThat(effects().count()).isZero();
    assertThat(inboxRows()).isZero();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
  }

  @Test
  void storesNothingWhenTheHandlerSwallowsThatTheConnectionDied() {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            unreliable,
            (message, tx) -> {
              Effects.add(tx, "a");
              if (runs.incrementAndGet() == 1) {
                proxy.cut();
                assertThatThrownBy(() -> Effects.add(tx, "b"));
              }
            });
    InboxMessage message = message("a");

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(DeliveryException.class);

    assertThat(effects().count()).isZero();
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
  }

  @Test
  void runsNoHandlerWhileTheDatabaseIsAway() {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            unreliable,
            (message, tx) -> {
              runs.incrementAndGet();
              Effects.handler().handle(message, tx);
            });
    inbox.receive(message("before"));
    proxy.refuse();
    proxy.cut();

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(DatabaseFailedException.class);

    assertThat(runs).hasValue(1);
    proxy.restore();
    awaitConnections();
    assertThat(inbox.receive(message("a")).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a", "before");
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
  }

  /** The pool makes longer and longer pauses while it cannot connect. */
  private void awaitConnections() {
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> unreliable.selectOne().fetchSingle().value1() == 1);
  }

  // COUNTED
  @Test
  void tellsOfAMessageThatFailedBeforeItsTransactionBegan() {
    Inbox inbox = inbox(unreliable, Effects.handler());
    inbox.check();
    proxy.refuse();
    proxy.cut();

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(DatabaseFailedException.class);

    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(effects().count()).isZero();
  }
}
