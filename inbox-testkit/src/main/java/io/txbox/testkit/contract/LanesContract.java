package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.BatchInboxHandler;
import io.txbox.InboxMessage;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many messages in one transaction, each once, and in the order that they ask for. */
public abstract class LanesContract extends LaneContract {
  /** For subclasses. */
  protected LanesContract() {}

  // One transaction, and each message once in it

  @Test
  void commitsWhatIsThereInOneTransaction() throws Exception {
    CountingTransactions transactions = new CountingTransactions(dsl());
    InboxLanes lanes = open(ONE_LANE, inbox(transactions.dsl(), counting(Effects.handler())));
    plug(lanes);
    int before = transactions.committed();

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(30));
    unplugged.countDown();

    assertAllProcessed(receipts);
    assertThat(transactions.committed() - before).isEqualTo(2); // The plug's own is one of them.
    assertThat(effects().count()).isEqualTo(31);
    assertThat(inboxRows()).isEqualTo(31);
    assertThat(calls.values()).allMatch(times -> times.get() == 1);
  }

  @Test
  void takesCopiesOfOneMessageForDuplicates() throws Exception {
    InboxLanes lanes = open(ONE_LANE, inbox(counting(Effects.handler())));
    plug(lanes);
    InboxMessage first = message("a");
    InboxMessage resent = message("a");
    InboxMessage other =
        InboxMessage.builder(TOPIC)
            .keys("a")
            .property(Effects.NAME, "other")
            .body(new byte[] {1})
            .build();

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(first, first, resent, other, message("b")));
    unplugged.countDown();

    assertThat(receipts.stream().map(receipt -> join(receipt).duplicateCause()))
        .containsExactly(
            Optional.empty(),
            Optional.of(DuplicateCause.REDELIVERY),
            Optional.of(DuplicateCause.RESENT),
            Optional.of(DuplicateCause.CONFLICT),
            Optional.empty());
    assertThat(effects().all()).containsExactly("a", "b", "plug");
    assertThat(calls.get("a")).hasValue(1);
  }

  @Test
  void aCopyIsHandledIfTheFirstOneFailed() {
    AtomicBoolean failed = new AtomicBoolean();
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  if (failed.compareAndSet(false, true)) {
                    throw new IOException("not yet");
                  }
                  Effects.handler().handle(message, tx);
                }));

    List<CompletableFuture<Receipt>> receipts = lanes.submit(List.of(message("a"), message("a")));

    assertThat(receipts.get(0)).failsWithin(SOON);
    assertThat(join(receipts.get(1)).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
  }

  @Test
  void skipsWhatWasHandledBefore() throws Exception {
    InboxLanes lanes = open(ONE_LANE, inbox(counting(Effects.handler())));
    List<InboxMessage> messages = messages(20);
    assertAllProcessed(lanes.submit(messages.subList(0, 10)));
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages);
    unplugged.countDown();

    assertThat(receipts.subList(0, 10)).allMatch(receipt -> join(receipt).isDuplicate());
    assertAllProcessed(receipts.subList(10, 20));
    assertThat(calls.values()).allMatch(times -> times.get() == 1);
  }

  // Many in one call

  @Test
  void givesABatchHandlerTheNewMessagesInOneCall() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    InboxLanes lanes = open(ONE_LANE, batchInbox(dsl(), recording(batches)));
    assertAllProcessed(lanes.submit(List.of(message("p3"), message("p5"))));
    plug(lanes);
    batches.clear();

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(8));
    unplugged.countDown();

    receipts.forEach(LanesContract::join);
    assertThat(batches).contains(List.of("p0", "p1", "p2", "p4", "p6", "p7"));
    assertThat(effects().count()).isEqualTo(9);
  }

  @Test
  void isolatesTheMessagesOfABatchThatFailed() throws Exception {
    List<List<String>> batches = new CopyOnWriteArrayList<>();
    BatchInboxHandler handler = recording(batches);
    InboxLanes lanes =
        open(
            ONE_LANE,
            batchInbox(
                dsl(),
                (messages, tx) -> {
                  handler.handle(messages, tx);
                  if (messages.stream().anyMatch(message -> message.property(FAILS).isPresent())) {
                    throw new IOException("one of them is bad");
                  }
                }));
    plug(lanes);
    batches.clear();

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(message("a"), bad("bad"), message("c")));
    unplugged.countDown();

    assertThat(receipts.get(1)).failsWithin(SOON);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(2)));
    assertThat(batches)
        .endsWith(
            List.of("a", "bad", "c"),
            List.of("a"),
            List.of("bad"),
            List.of("c"),
            List.of("bad")); // By itself.
    assertThat(effects().all()).containsExactly("a", "c", "plug");
    assertThat(inboxRows()).isEqualTo(3);
  }

  // Order

  @Test
  void keepsTheOrderOfEachOrderingKey() {
    List<String> handled = new CopyOnWriteArrayList<>();
    Set<String> atWork = ConcurrentHashMap.newKeySet();
    Set<String> collisions = ConcurrentHashMap.newKeySet();
    Inbox inbox =
        builder(dsl())
            .handler(
                TOPIC,
                BY_KEYS,
                (message, tx) -> {
                  String account = account(message).orElseThrow();
                  if (!atWork.add(account)) {
                    collisions.add(account);
                  }
                  Effects.handler().handle(message, tx);
                  handled.add(message.keys().orElseThrow());
                  atWork.remove(account);
                },
                route -> route.orderingKey(LanesContract::account))
            .build();
    InboxLanes lanes = open(BATCHES.withMaxBatch(7), inbox);

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(300));

    assertAllProcessed(receipts);
    assertThat(collisions).isEmpty();
    Map<String, List<Integer>> byAccount =
        handled.stream()
            .map(key -> Integer.parseInt(key.substring(1)))
            .collect(Collectors.groupingBy(i -> "account-" + i % 9));
    assertThat(byAccount).hasSize(9);
    assertThat(byAccount.values()).allMatch(numbers -> isSorted(numbers));
  }

  @Test
  void aSequenceStopsAtItsFirstFailureAndKeepsWhatIsBeforeIt() throws Exception {
    InboxLanes lanes = open(ONE_LANE, inbox(counting(failing())));
    plug(lanes);

    List<CompletableFuture<Receipt>> first =
        lanes.submitInOrder("q1", List.of(message("a1"), message("a2"), bad("a3"), message("a4")));
    List<CompletableFuture<Receipt>> second =
        lanes.submitInOrder("q2", List.of(message("b1"), message("b2")));
    unplugged.countDown();

    assertAllProcessed(first.subList(0, 2));
    assertThat(first.get(2)).failsWithin(SOON);
    assertThatThrownBy(() -> first.get(3).get(30, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
    assertAllProcessed(second);
    assertThat(effects().all()).containsExactly("a1", "a2", "b1", "b2", "plug");
    assertThat(calls).doesNotContainKey("a4");
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
  }

  // BC-25
  @Test
  void deadlocksOfHandlersCostNoMessageAnAttempt() {
    IntStream.range(0, 4).forEach(i -> Effects.add(dsl(), "row" + i));
    InboxLanes lanes =
        open(
            BATCHES.withLanes(4).withMaxBatch(8),
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  int i = Integer.parseInt(message.keys().orElseThrow().substring(1));
                  Effects.touch(tx, "row" + i % 4);
                  Effects.touch(tx, "row" + (i + 1 + i % 3) % 4);
                }));

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(60));

    assertAllProcessed(receipts);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(effects().count()).isEqualTo(64);
  }
}
