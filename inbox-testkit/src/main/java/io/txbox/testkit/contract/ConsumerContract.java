package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.DedupKeys;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** From a real broker into the database, in any order. */
public abstract class ConsumerContract extends SharedBrokerContract {
  /** For subclasses. */
  protected ConsumerContract() {}

  @Test
  void hasEachEffectOnceHoweverOftenItWasSent() {
    for (int copy = 0; copy < 3; copy++) {
      IntStream.range(0, 20).forEach(i -> send("p" + i));
    }

    start(Effects.handler());

    awaitAllAcknowledged();
    soon().until(() -> events.of(InboxEvent.Ended.class).size() == 60);
    assertThat(effects().count()).isEqualTo(20);
    assertThat(events.of(InboxEvent.Processed.class)).hasSize(20);
    assertThat(events.of(InboxEvent.Duplicate.class))
        .hasSize(40)
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.RESENT);
  }

  @Test
  void showsTheHandlerTheMessageAsItWasSent() {
    Instant bornAt = Instant.parse("2026-03-29T01:00:10.123Z");
    Set<String> seen = ConcurrentHashMap.newKeySet();
    producer
        .message(topic, "the body")
        .key("a b ")
        .tag("paid")
        .property("BIZ", "ä ö")
        .bornAt(bornAt)
        .messageId("ID-17")
        .queue(1)
        .send();

    start(
        (message, tx) -> {
          seen.add(message.topic());
          seen.add(message.keys().orElseThrow());
          seen.add(message.tag().orElseThrow());
          seen.add(message.property("BIZ").orElseThrow());
          seen.add(message.bornAt().toString());
          seen.add(message.messageId());
          seen.add(new String(message.body(), StandardCharsets.UTF_8));
          seen.add(message.queue() + "@" + message.offset() + "#" + message.attempt());
        });

    soon()
        .untilAsserted(
            () ->
                assertThat(seen)
                    .containsExactlyInAnyOrder(
                        topic,
                        "a b ",
                        "paid",
                        "ä ö",
                        "2026-03-29T01:00:10.123Z",
                        "ID-17",
                        "the body",
                        broker().brokerName() + "/1@0#1"));
  }

  // BC-47, BC-49
  @Test
  void skipsWhatComesAgainAfterTheOffsetsWereLost() {
    IntStream.range(0, 30).forEach(i -> send("p" + i));
    InboxConsumer first = start(Effects.handler());
    awaitAllAcknowledged();
    first.close();

    broker().resetOffsets(group, topic, 0);
    start(Effects.handler());

    soon().until(() -> events.of(InboxEvent.Duplicate.class).size() == 30);
    awaitAllAcknowledged();
    assertThat(events.of(InboxEvent.Duplicate.class))
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(effects().count()).isEqualTo(30);
  }

  @Test
  void deliversAgainWhatFailedUntilItComesThrough() {
    AtomicInteger runs = new AtomicInteger();
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    send("a");

    start(
        (message, tx) -> {
          Effects.handler().handle(message, tx);
          attempts.add(message.attempt());
          if (runs.incrementAndGet() < 3) {
            throw new IOException("not yet");
          }
        });

    soon().until(() -> effects().count() == 1);
    assertThat(attempts).containsExactly(1, 2, 3);
    assertThat(effects().all()).containsExactly("a");
  }

  // BC-70: a retry copy is read from another topic and queue, and is the same message all the same.
  @Test
  void knowsARetryCopyAgain() {
    producer.message(topic, "x").key("a").property(Effects.NAME, "a").messageId("ID").send();
    producer.message(topic, "x").key("a").property(Effects.NAME, "a").messageId("ID").send();
    AtomicInteger runs = new AtomicInteger();

    start(
        (message, tx) -> {
          Effects.handler().handle(message, tx);
          if (runs.incrementAndGet() <= 2) {
            throw new IOException("not yet");
          }
        });

    soon().until(() -> !events.of(InboxEvent.Duplicate.class).isEmpty());
    assertThat(events.of(InboxEvent.Duplicate.class))
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactly("a");
  }

  // ACK-AFTER-COMMIT
  @Test
  void acknowledgesOnlyOnceTheTransactionHasCommitted() {
    CountDownLatch inHandler = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    send(0, "before");
    send(0, "a");
    send(0, "after");

    start(
        consumer()
            .maxBatch(1) // Else they are in one transaction.
            .subscribe(
                topic,
                BY_KEYS,
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().orElseThrow().equals("a")) {
                    inHandler.countDown();
                    mayEnd.await(30, TimeUnit.SECONDS);
                  }
                }));

    InboxContract.awaitLatch(inHandler);
    soon().until(() -> effects().count() == 2);
    storeOffsets();
    soon().until(() -> broker().committedOffset(group, topic, 0).orElse(0) > 0);
    assertThat(broker().committedOffset(group, topic, 0)).hasValue(1);
    mayEnd.countDown();
    awaitAllAcknowledged();
    assertThat(effects().all()).containsExactly("a", "after", "before");
  }

  // FAIL-CLOSED, BC-42
  @Test
  void doesNotAcknowledgeAMessageWithoutAKey() {
    producer.message(topic, "no key").property(Effects.NAME, "a").send();

    start(
        consumer()
            .subscribe(topic, BY_KEYS, Effects.handler())
            .customize(client -> client.setMaxReconsumeTimes(2)));

    soon().until(() -> broker().deadLetters(group) == 1);
    assertThat(events.of(InboxEvent.KeyRefused.class)).hasSize(3);
    assertThat(effects().count()).isZero();
  }

  // BC-13
  @Test
  void handlesTheSameIdOnTwoTopicsByTheHandlerOfEach() {
    String other = BROKER.newTopic("refund", 1);
    producer.message(topic, "x").key("a").messageId("ID").send();
    producer.message(other, "x").key("a").messageId("ID").send();

    start(
        consumer()
            .subscribe(topic, DedupKeys.messageId(), (message, tx) -> Effects.add(tx, "paid"))
            .subscribe(other, DedupKeys.messageId(), (message, tx) -> Effects.add(tx, "refunded")));

    soon().until(() -> effects().count() == 2);
    assertThat(effects().all()).containsExactly("paid", "refunded");
  }

  @Test
  void handlesAMessageForEachGroup() {
    send("a");

    start(Effects.handler());
    start(
        InboxConsumer.builder(group + "-other", dsl(), dialect())
            .nameServer(broker().nameServer())
            .lanes(1)
            .listener(events)
            .subscribe(topic, BY_KEYS, Effects.handler()));

    soon().until(() -> events.of(InboxEvent.Processed.class).size() == 2);
    assertThat(effects().all()).containsExactly("a", "a");
  }

  @Test
  void identifiesByACompositeKey() {
    for (String line : List.of("1", "2", "1")) {
      producer
          .message(topic, "x")
          .property("ORDER", "17")
          .property("LINE", line)
          .property(Effects.NAME, "17/" + line)
          .send();
    }

    start(
        consumer()
            .subscribe(
                topic,
                DedupKeys.composite(DedupKeys.property("ORDER"), DedupKeys.property("LINE")),
                Effects.handler()));

    soon().until(() -> events.of(InboxEvent.Ended.class).size() == 3);
    assertThat(effects().all()).containsExactly("17/1", "17/2");
  }

  @Test
  void takesOnlyTheTagsAndSharesTheScopeThatASubscriptionNames() {
    String moved = BROKER.newTopic("payment-v2", 1);
    producer.message(topic, "x").key("a").tag("paid").property(Effects.NAME, "a").send();
    producer.message(topic, "x").key("b").tag("noise").property(Effects.NAME, "b").send();
    producer.message(topic, "x").key("c").tag("refunded").property(Effects.NAME, "c").send();
    producer.message(moved, "x").key("a").property(Effects.NAME, "a").send();

    start(
        consumer()
            .subscribe(
                topic, BY_KEYS, Effects.handler(), s -> s.tags("paid || refunded").scope("pay"))
            .subscribe(moved, BY_KEYS, Effects.handler(), s -> s.scope("pay")));

    soon().until(() -> events.of(InboxEvent.Ended.class).size() == 3);
    assertThat(effects().all()).containsExactly("a", "c");
  }

  // BC-15
  @Test
  void letsHandlersEndWhenItIsClosed() throws Exception {
    CountDownLatch inHandler = new CountDownLatch(2);
    CountDownLatch mayEnd = new CountDownLatch(1);
    IntStream.range(0, 40).forEach(i -> send("p" + i));
    InboxConsumer consumer =
        start(
            consumer()
                .lanes(2)
                .maxBatch(1)
                .subscribe(
                    topic,
                    BY_KEYS,
                    (message, tx) -> {
                      inHandler.countDown();
                      mayEnd.await(30, TimeUnit.SECONDS);
                      Effects.handler().handle(message, tx);
                    }));
    InboxContract.awaitLatch(inHandler);

    Thread closing = new Thread(consumer::close);
    closing.start();
    soon().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    mayEnd.countDown();
    closing.join(TimeUnit.SECONDS.toMillis(20));

    assertThat(closing.isAlive()).isFalse();
    // What had begun has ended; nothing that had not was begun, or sent back to the broker.
    assertThat(effects().count()).isEqualTo(2);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();

    start(Effects.handler());
    soon().until(() -> effects().count() == 40);
    awaitAllAcknowledged();
    assertThat(broker().redeliveries(group)).isZero();
    assertThat(effects().count()).isEqualTo(40);
  }

  // BC-15
  @Test
  void interruptsAfterTheDrainTimeAndUsesUpNoAttempt() {
    CountDownLatch inHandler = new CountDownLatch(1);
    send("a");
    InboxConsumer consumer =
        start(
            consumer()
                .drain(Duration.ofMillis(300))
                .subscribe(
                    topic,
                    BY_KEYS,
                    (message, tx) -> {
                      Effects.handler().handle(message, tx);
                      inHandler.countDown();
                      new CountDownLatch(1).await();
                    }));
    InboxContract.awaitLatch(inHandler);

    consumer.close();

    assertThat(effects().count()).isZero();
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    start(
        (message, tx) -> {
          Effects.handler().handle(message, tx);
          attempts.add(message.attempt());
        });
    soon().until(() -> effects().count() == 1);
    awaitAllAcknowledged();
    assertThat(attempts).containsExactly(1);
    assertThat(broker().redeliveries(group)).isZero();
  }

  // BC-48
  @Test
  void hasEachEffectOnceWhileInstancesJoinAndLeave() {
    int messages = 300;
    start(slow());
    IntStream.range(0, messages).forEach(i -> send("p" + i));
    for (int round = 0; round < 3; round++) {
      int target = (round + 1) * 40;
      InboxConsumer joining = start(slow());
      soon().until(() -> effects().count() >= target);
      joining.close();
    }

    soon().until(() -> effects().count() >= messages);
    awaitAllAcknowledged();
    assertThat(effects().count()).isEqualTo(messages);
  }

  private InboxConsumer.Builder slow() {
    return consumer()
        .subscribe(
            topic,
            BY_KEYS,
            (message, tx) -> {
              Effects.handler().handle(message, tx);
              new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
            });
  }
}
