package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.InboxHandler;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.broker.KillableBrokerExtension;
import io.txbox.testkit.network.TcpProxy;
import io.txbox.testkit.network.TcpProxy.Strike;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.rocketmq.common.MixAll;
import org.awaitility.core.ConditionFactory;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Each effect once, no attempt used and nothing in the dead-letter topic, when the connections to
 * the database or the broker die while a consumer runs.
 */
public abstract class ConsumerFaultContract extends BrokerContract {
  @RegisterExtension
  static final KillableBrokerExtension KILLABLE = KillableBrokerExtension.perClass();

  private static final List<String> KEYS = IntStream.range(0, 200).mapToObj(i -> "p" + i).toList();

  private TcpProxy proxy;
  private DSLContext unreliable;

  /** For subclasses. */
  protected ConsumerFaultContract() {}

  /** Makes the driver send each COMMIT as plain text, by which the proxy knows it. */
  protected abstract void sendPlainCommits(HikariConfig pool);

  @Override
  KillableBroker broker() {
    return KILLABLE.broker();
  }

  @BeforeEach
  void connectThroughProxy() {
    proxy = TcpProxy.to(database().host(), database().port());
    unreliable = dslThrough(proxy, this::sendPlainCommits);
  }

  @Override
  @AfterEach
  void leavesNothingBehind() {
    super.leavesNothingBehind();
    proxy.close();
  }

  @Test
  void hasEachEffectOnceWhileItsConnectionsAreCut() {
    int sent = sendEachUpToThreeTimes();

    start(consumer(unreliable).subscribe(topic, BY_KEYS, slow()));
    for (int reached = 10; reached < KEYS.size(); reached += 10) {
      awaitEffects(reached);
      proxy.cut();
    }

    soon().until(() -> ended() == sent);
    assertThat(events.of(InboxEvent.Retried.class)).isNotEmpty();
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertEachEffectOnce();
  }

  // BC-26
  @Test
  void hasEachEffectOnceWhileAnswersToCommitsAreLost() {
    KEYS.forEach(this::send);
    Random random = new Random(26);
    int strikes = 0;

    start(consumer(unreliable).subscribe(topic, BY_KEYS, slow()));
    while (ended() < KEYS.size()) {
      int next = Math.min(ended() + random.nextInt(10), KEYS.size());
      inNoTime().until(() -> ended() >= next);
      CompletableFuture<Void> struck = proxy.onClientBytes(commitOnTheWire(), Strike.LOSE_REPLY);
      inNoTime().until(() -> struck.isDone() || ended() == KEYS.size());
      strikes += struck.isDone() ? 1 : 0;
    }

    assertThat(strikes).isGreaterThan(5);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(events.of(InboxEvent.Duplicate.class))
        .isNotEmpty()
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertEachEffectOnce();
  }

  @Test
  void resumesByItselfAfterTheBrokerWasKilled() {
    sendEachUpToThreeTimes();

    start(pullingLittle().subscribe(topic, BY_KEYS, failingAtFirst("7")));
    killBrokerAt(50);
    killBrokerAt(120);

    awaitEffects(KEYS.size());
    awaitAllAcknowledged();
    soon().until(this::hasConsumedAllRetries);
    assertEachEffectOnce();
  }

  @Test
  void keepsTheOrderOfEachQueueAfterTheBrokerWasKilled() {
    for (int i = 0; i < KEYS.size(); i++) {
      for (int copy = 0; copy <= i % 2; copy++) {
        send(i % 2, KEYS.get(i));
      }
    }

    start(
        pullingLittle()
            .orderly()
            .customize(client -> client.setSuspendCurrentQueueTimeMillis(50))
            .subscribe(topic, BY_KEYS, failingAtFirst("8", "9")));
    killBrokerAt(50);
    killBrokerAt(120);

    awaitEffects(KEYS.size());
    awaitAllAcknowledged();
    assertEachEffectOnce();
    for (int queue = 0; queue < queues(); queue++) {
      int even = queue;
      assertThat(processedOf(queue))
          .isEqualTo(KEYS.stream().filter(key -> KEYS.indexOf(key) % 2 == even).toList());
    }
  }

  private int sendEachUpToThreeTimes() {
    int sent = 0;
    for (int i = 0; i < KEYS.size(); i++) {
      for (int copy = 0; copy <= i % 3; copy++) {
        send(KEYS.get(i));
        sent++;
      }
    }
    return sent;
  }

  /** The effect, and some milliseconds in which something may break. */
  private static InboxHandler slow() {
    return (message, tx) -> {
      Effects.handler().handle(message, tx);
      new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
    };
  }

  /** Throws, once a key, where the key ends so. */
  private static InboxHandler failingAtFirst(String... suffixes) {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    return (message, tx) -> {
      slow().handle(message, tx);
      String key = message.keys().orElseThrow();
      if (List.of(suffixes).stream().anyMatch(key::endsWith) && failed.add(key)) {
        throw new IOException("not yet");
      }
    };
  }

  /** Has only a few messages at hand when the broker dies. */
  private InboxConsumer.Builder pullingLittle() {
    return consumer()
        .customize(
            client -> {
              client.setPullBatchSize(4);
              client.setPullThresholdForQueue(8);
            });
  }

  private void killBrokerAt(int effects) {
    awaitEffects(effects);
    broker().kill();
    broker().restart();
    assertThat(effects().count()).isLessThan(KEYS.size());
  }

  private void awaitEffects(int atLeast) {
    inNoTime().until(() -> effects().count() >= atLeast);
  }

  private static ConditionFactory inNoTime() {
    return soon().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
  }

  /** Returns how many deliveries have come to their good end. */
  private int ended() {
    return events.of(InboxEvent.Processed.class).size()
        + events.of(InboxEvent.Duplicate.class).size();
  }

  private boolean hasConsumedAllRetries() {
    storeOffsets();
    long redeliveries = broker().redeliveries(group);
    return broker().committedOffset(group, MixAll.getRetryTopic(group), 0).orElse(0)
        == redeliveries;
  }

  private List<String> processedOf(int queue) {
    return events.of(InboxEvent.Processed.class).stream()
        .filter(processed -> processed.message().queue().number() == queue)
        .map(processed -> processed.key().value())
        .toList();
  }

  private void assertEachEffectOnce() {
    assertThat(effects().all()).containsExactlyInAnyOrderElementsOf(KEYS);
    assertThat(inboxRows()).isEqualTo(KEYS.size());
    assertThat(broker().deadLetters(group)).isZero();
  }
}
