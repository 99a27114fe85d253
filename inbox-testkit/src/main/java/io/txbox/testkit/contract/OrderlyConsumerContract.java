package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.store.ParkReason;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** From a real broker into the database, each queue in order. */
public abstract class OrderlyConsumerContract extends SharedBrokerContract {
  private final Map<Integer, List<String>> committed = new ConcurrentHashMap<>();

  /** For subclasses. */
  protected OrderlyConsumerContract() {}

  private InboxConsumer.Builder orderly() {
    return consumer()
        .orderly()
        .customize(client -> client.setSuspendCurrentQueueTimeMillis(50))
        .listener(
            event -> {
              if (event instanceof InboxEvent.Processed processed) {
                committed
                    .computeIfAbsent(
                        processed.message().queue().number(), q -> new CopyOnWriteArrayList<>())
                    .add(processed.key().value());
              }
            });
  }

  private static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  private void assertInOrder(int perQueue) {
    assertThat(committed.get(0)).isEqualTo(keys("x", perQueue));
    assertThat(committed.get(1)).isEqualTo(keys("y", perQueue));
    assertThat(effects().all())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(keys("x", perQueue).stream(), keys("y", perQueue).stream()).toList());
  }

  @Test
  void keepsOrderThroughDuplicates() {
    for (int i = 0; i < 20; i++) {
      for (int copy = 0; copy <= i % 3; copy++) {
        send(0, "x" + i);
        send(1, "y" + i);
      }
      if (i > 2) {
        send(0, "x" + (i - 3));
      }
    }

    start(orderly().subscribe(topic, BY_KEYS, Effects.handler()));

    awaitAllAcknowledged();
    assertInOrder(20);
  }

  // BC-51
  @Test
  void keepsOrderThroughFailures() {
    keys("x", 15).forEach(key -> send(0, key));
    keys("y", 15).forEach(key -> send(1, key));

    start(
        orderly()
            .subscribe(
                topic,
                BY_KEYS,
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().orElseThrow().endsWith("3") && message.attempt() == 1) {
                    throw new IOException("not yet");
                  }
                }));

    awaitAllAcknowledged();
    assertInOrder(15);
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(4);
  }

  // BC-15
  @Test
  void keepsOrderThroughRestarts() {
    keys("x", 30).forEach(key -> send(0, key));
    keys("y", 30).forEach(key -> send(1, key));

    for (int target = 10; target <= 60; target += 20) {
      int reached = target;
      InboxConsumer consumer =
          start(
              orderly()
                  .subscribe(
                      topic,
                      BY_KEYS,
                      (message, tx) -> {
                        Effects.handler().handle(message, tx);
                        new CountDownLatch(1).await(5, TimeUnit.MILLISECONDS);
                      }));
      soon().until(() -> effects().count() >= reached);
      consumer.close();
    }
    start(orderly().subscribe(topic, BY_KEYS, Effects.handler()));

    awaitAllAcknowledged();
    assertInOrder(30);
  }

  @Test
  void aMessageThatKeepsFailingHoldsUpItsOwnQueueOnly() {
    keys("x", 5).forEach(key -> send(0, key));
    keys("y", 5).forEach(key -> send(1, key));

    start(
        orderly()
            .subscribe(
                topic,
                BY_KEYS,
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().orElseThrow().equals("x2")) {
                    throw new IOException("never");
                  }
                }));

    soon().until(() -> events.of(InboxEvent.Failed.class).size() >= 3);
    soon().until(() -> effects().count() == 7);
    assertThat(effects().all()).containsExactly("x0", "x1", "y0", "y1", "y2", "y3", "y4");
    storeOffsets();
    soon().until(() -> broker().committedOffset(group, topic, 0).orElse(0) > 0);
    assertThat(broker().committedOffset(group, topic, 0)).hasValue(2);
  }

  // BC-51
  @Test
  void parksWhatHasFailedForTheLastTimeAndGoesOn() {
    keys("x", 10).forEach(key -> send(0, key));
    Set<Integer> attempts = ConcurrentHashMap.newKeySet();

    start(
        orderly()
            .subscribe(
                topic,
                BY_KEYS,
                failing("x2", attempts),
                subscription -> subscription.maxAttempts(3, ExhaustedPolicy.PARK)));

    awaitAllAcknowledged();
    assertThat(attempts).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(committed.get(0))
        .containsExactly("x0", "x1", "x3", "x4", "x5", "x6", "x7", "x8", "x9");
    assertThat(events.of(InboxEvent.Parked.class))
        .extracting(parked -> parked.key().value(), InboxEvent.Parked::reason)
        .containsExactly(tuple("x2", ParkReason.EXHAUSTED));
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(2);
  }

  // BC-51
  @Test
  void parksTheSequenceOfWhatHasFailedForTheLastTimeAndGoesOnWithOthers() {
    keys("x", 12).forEach(key -> send(0, key));

    start(
        orderly()
            .subscribe(
                topic,
                BY_KEYS,
                failing("x2", ConcurrentHashMap.newKeySet()),
                subscription ->
                    subscription
                        .orderingKey(OrderlyConsumerContract::byRest)
                        .maxAttempts(2, ExhaustedPolicy.PARK_SEQUENCE)));

    awaitAllAcknowledged();
    assertThat(committed.get(0)).containsExactly("x0", "x1", "x3", "x4", "x6", "x7", "x9", "x10");
    assertThat(events.of(InboxEvent.Parked.class))
        .extracting(parked -> parked.key().value())
        .containsExactly("x2", "x5", "x8", "x11");
  }

  private static Optional<String> byRest(InboxMessage message) {
    int number = Integer.parseInt(message.keys().orElseThrow().substring(1));
    return Optional.of("sequence-" + number % 3);
  }

  private static InboxHandler failing(String key, Set<Integer> attempts) {
    return (message, tx) -> {
      Effects.handler().handle(message, tx);
      if (message.keys().orElseThrow().equals(key)) {
        attempts.add(message.attempt());
        throw new IOException("never");
      }
    };
  }

  @Test
  void skipsWhatComesAgainAfterTheOffsetsWereLost() {
    keys("x", 10).forEach(key -> send(0, key));
    keys("y", 10).forEach(key -> send(1, key));
    InboxConsumer first = start(orderly().subscribe(topic, BY_KEYS, Effects.handler()));
    awaitAllAcknowledged();
    first.close();

    broker().resetOffsets(group, topic, 0);
    start(orderly().subscribe(topic, BY_KEYS, Effects.handler()));

    soon().until(() -> events.of(InboxEvent.Duplicate.class).size() == 20);
    awaitAllAcknowledged();
    assertInOrder(10);
  }
}
