package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.HandlerFailedException;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import java.io.IOException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fails in a transaction of many messages harms none of the others. */
public abstract class LaneIsolationContract extends LaneContract {
  /** For subclasses. */
  protected LaneIsolationContract() {}

  /**
   * Returns statements after each of which, in the same transaction, the handler of another message
   * would find another {@code business_effect} than the real one, or could not write to it.
   */
  protected abstract List<String> spoilingTheTransaction();

  /** Has the server end the connection, as an administrator would; throws what that makes of it. */
  protected abstract void breakConnectionOf(DSLContext tx);

  // BC-18
  @Test
  void theGoodOnesCommitOnceAndTheBadOneAloneFails() throws Exception {
    InboxLanes lanes = open(ONE_LANE, inbox(counting(failing())));
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(message("a"), bad("bad"), message("b"), message("c")));
    unplugged.countDown();

    assertThatThrownBy(() -> receipts.get(1).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HandlerFailedException.class);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(2), receipts.get(3)));
    assertThat(calls.get("bad")).hasValue(2); // With the others, and then by itself.
    assertThat(effects().all()).containsExactly("a", "b", "c", "plug");
    assertThat(inboxRows()).isEqualTo(4);
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(events.of(InboxEvent.Processed.class)).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 50, 100})
  void keepsApartWhatFails(int percent) {
    Random random = new Random(percent);
    InboxLanes lanes = open(BATCHES.withLanes(4), inbox(counting(failing())));
    List<InboxMessage> messages =
        IntStream.range(0, 400)
            .mapToObj(i -> random.nextInt(100) < percent ? bad("bad" + i) : message("p" + i))
            .toList();
    List<String> good = names(messages, message -> message.property(FAILS).isEmpty());

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages);

    CompletableFuture<Void> all =
        CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new));
    await().atMost(SOON).until(all::isDone);
    assertThat(effects().all()).containsExactlyInAnyOrderElementsOf(good);
    assertThat(inboxRows()).isEqualTo(good.size());
    assertThat(events.of(InboxEvent.Ended.class)).hasSize(messages.size());
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(messages.size() - good.size());
    names(messages, message -> message.property(FAILS).isPresent())
        .forEach(name -> assertThat(calls.get(name)).as(name).hasValueBetween(1, 3));
  }

  // BC-18
  @Test
  void aFailureThatOthersBroughtAboutCountsForNobody() throws Exception {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.property(FAILS).isPresent() && failed.add(message.keys().get())) {
                    throw new IOException("only in company");
                  }
                }));
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(bad("first"), message("a"), bad("middle"), message("b"), bad("last")));
    unplugged.countDown();

    assertAllProcessed(receipts);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(effects().all()).containsExactly("a", "b", "first", "last", "middle", "plug");
    assertThat(inboxRows()).isEqualTo(6);
  }

  @Test
  void whatRunsByItselfKeepsItsPlaceInItsOrder() throws Exception {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    Inbox inbox =
        builder(dsl())
            .handler(
                TOPIC,
                BY_KEYS,
                (message, tx) ->
                    unlessPlug(
                        message,
                        tx,
                        () -> {
                          Effects.handler().handle(message, tx);
                          String key = message.keys().orElseThrow();
                          if (key.matches("p(4|11|12|20|29)") && failed.add(key)) {
                            throw new IOException("only in company");
                          }
                        }),
                route -> route.orderingKey(LanesContract::account))
            .build();
    InboxLanes lanes = open(ONE_LANE, inbox);
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(60));
    unplugged.countDown();

    assertAllProcessed(receipts);
    assertThat(failed).hasSize(5);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    Map<Integer, List<Integer>> byAccount =
        events.of(InboxEvent.Processed.class).stream()
            .map(processed -> processed.key().value())
            .filter(key -> key.startsWith("p") && !key.equals("plug"))
            .map(key -> Integer.parseInt(key.substring(1)))
            .collect(Collectors.groupingBy(i -> i % 9));
    assertThat(byAccount).hasSize(9);
    assertThat(byAccount.values()).allMatch(numbers -> isSorted(numbers));
  }

  @Test
  void keepsTheOrderWhenSeveralOfItRunByThemselves() {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  String key = message.keys().orElseThrow();
                  int call =
                      calls.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
                  // The third at once, and the first as the rest runs again.
                  if ((key.equals("p3") && call == 1) || (key.equals("p0") && call == 2)) {
                    failed.add(key);
                    throw new IOException("only in company");
                  }
                }));
    lanes.pause();

    List<CompletableFuture<Receipt>> receipts = lanes.submitInOrder("q", messages(6));
    lanes.resume();

    assertAllProcessed(receipts);
    assertThat(failed).containsExactlyInAnyOrder("p0", "p3");
    assertThat(events.of(InboxEvent.Processed.class))
        .extracting(processed -> processed.key().value())
        .containsExactly("p0", "p1", "p2", "p3", "p4", "p5");
  }

  @Test
  void anInterruptOfOneHandlerReachesNoOther() {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().get().equals("in company") && failed.add("once")) {
                    throw new IOException("only in company");
                  }
                  Thread.currentThread().interrupt();
                }));
    lanes.pause();

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(pausing("in company"), pausing("a"), pausing("b")));
    lanes.resume();

    assertAllProcessed(receipts);
    assertThat(failed).hasSize(1);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
  }

  // ATOMIC
  @Test
  void refusesASavepointThatAnotherHandlerHasSet() {
    AtomicReference<Savepoint> kept = new AtomicReference<>();
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  String key = message.keys().orElseThrow();
                  if (key.equals("keeps")) {
                    tx.connection(connection -> kept.set(connection.setSavepoint()));
                  }
                  Effects.handler().handle(message, tx);
                  if (key.equals("goes back")) {
                    tx.connection(connection -> connection.rollback(kept.get()));
                  }
                }));
    lanes.pause();

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(message("keeps"), message("a"), message("goes back"), message("b")));
    lanes.resume();

    assertThat(receipts.get(2)).failsWithin(SOON);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(1), receipts.get(3)));
    assertThat(effects().all()).containsExactly("a", "b", "keeps");
  }

  @Test
  void noHandlerGoesBackToASavepointThatAnotherHasSetBySql() {
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  String key = message.keys().orElseThrow();
                  if (key.equals("keeps")) {
                    tx.execute("SAVEPOINT kept");
                  }
                  Effects.handler().handle(message, tx);
                  if (key.equals("goes back")) {
                    tx.execute("ROLLBACK TO SAVEPOINT kept");
                  }
                }));
    lanes.pause();

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(message("keeps"), message("a"), message("goes back"), message("b")));
    lanes.resume();

    assertThat(receipts.get(2)).failsWithin(SOON);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(1), receipts.get(3)));
    assertThat(effects().all()).containsExactly("a", "b", "keeps");
  }

  @Test
  void handlersThatWaitForEachOthersBatchesRunByThemselves() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    Set<String> met = ConcurrentHashMap.newKeySet();
    CompletableFuture<Inbox> self = new CompletableFuture<>();
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.handler().handle(message, tx);
              if (message.property("receives").isPresent()) {
                if (met.add(message.keys().get())) {
                  both.await(30, TimeUnit.SECONDS); // Each with the other's key in its batch.
                }
                self.join().receive(message(message.property("receives").get()));
              }
            });
    self.complete(inbox);
    InboxLanes one = open(ONE_LANE, inbox);
    InboxLanes other = open(ONE_LANE, inbox);
    one.pause();
    other.pause();

    List<CompletableFuture<Receipt>> receipts =
        new ArrayList<>(one.submit(List.of(message("c2"), receiving("p1", "c1"))));
    receipts.addAll(other.submit(List.of(message("c1"), receiving("p2", "c2"))));
    one.resume();
    other.resume();

    receipts.forEach(LanesContract::join);
    assertThat(effects().all()).containsExactly("c1", "c2", "p1", "p2");
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
  }

  private static InboxMessage receiving(String key, String received) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property("receives", received)
        .build();
  }

  @Test
  void aHandlerThatSpoilsItsTransactionForOthersGetsOneOfItsOwn() {
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                counting(
                    (message, tx) -> {
                      Effects.handler().handle(message, tx);
                      message.property(SPOILS).ifPresent(sql -> tx.execute(sql));
                    })));
    for (String sql : spoilingTheTransaction()) {
      effects().reset();
      List<InboxMessage> messages =
          List.of(
              message("before " + sql),
              InboxMessage.builder(TOPIC)
                  .keys(sql)
                  .property(Effects.NAME, "spoiler")
                  .property(SPOILS, sql)
                  .build(),
              message("after " + sql));
      lanes.pause();

      List<CompletableFuture<Receipt>> receipts = lanes.submit(messages);
      lanes.resume(); // So that they come together.

      assertAllProcessed(receipts);
      assertThat(effects().all())
          .as(sql)
          .containsExactly("after " + sql, "before " + sql, "spoiler");
      assertThat(calls.get(sql)).as(sql).hasValue(2);
    }
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
  }

  @Test
  void aHandlerThatBreaksItsConnectionFailsAlone() throws Exception {
    InboxLanes lanes =
        open(
            ONE_LANE,
            builder(dsl(pool -> {}))
                .maxTransientRetries(2)
                .handler(
                    TOPIC,
                    BY_KEYS,
                    (message, tx) ->
                        unlessPlug(
                            message,
                            tx,
                            () -> {
                              Effects.handler().handle(message, tx);
                              if (message.property(FAILS).isPresent()) {
                                breakConnectionAndHideIt(tx);
                              }
                            }))
                .build());
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(message("a"), bad("bad"), message("b")));
    unplugged.countDown();

    assertThat(receipts.get(1)).failsWithin(SOON);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(2)));
    assertThat(effects().all()).containsExactly("a", "b", "plug");
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(events.of(InboxEvent.Paused.class)).isEmpty();
  }

  @Test
  void aBrokenConnectionCostsNoAttemptThoughTheHandlerHidesIt() {
    AtomicInteger broken = new AtomicInteger();
    Inbox inbox =
        inbox(
            dsl(pool -> {}),
            (message, tx) -> {
              Effects.handler().handle(message, tx);
              if (broken.getAndIncrement() == 0) {
                breakConnectionAndHideIt(tx);
              }
            });

    assertThat(inbox.receive(message("a")).isProcessed()).isTrue();
    assertThat(broken).hasValue(2);
    assertThat(effects().all()).containsExactly("a");
  }

  private void breakConnectionAndHideIt(DSLContext tx) {
    try {
      breakConnectionOf(tx);
    } catch (RuntimeException e) {
      throw new IllegalStateException("Something went wrong: " + e.getMessage());
    }
  }

  @Test
  void refusesAMessageThatItsOwnTransactionWouldWaitFor() throws Exception {
    CompletableFuture<Inbox> self = new CompletableFuture<>();
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.handler().handle(message, tx);
              if (message.property("receives").isPresent()) {
                self.join().receive(message(message.property("receives").get()));
              }
            });
    self.complete(inbox);
    InboxLanes lanes = open(ONE_LANE, inbox);
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(
            List.of(message("a"), receiving("itself", "itself"), receiving("another", "a")));
    unplugged.countDown();

    assertAllProcessed(List.of(receipts.get(0), receipts.get(2)));
    assertThatThrownBy(() -> receipts.get(1).get(30, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .hasStackTraceContaining("Inbox.receive was called by a handler");
    assertThat(effects().all()).containsExactly("a", "another", "plug");
  }

  @Test
  void survivesWhatCannotBePrinted() throws Exception {
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.property(FAILS).isPresent()) {
                    throw new UnprintableException();
                  }
                }));
    plug(lanes);

    List<CompletableFuture<Receipt>> sequence =
        lanes.submitInOrder("q", List.of(message("a"), bad("bad"), message("behind")));
    List<CompletableFuture<Receipt>> others = lanes.submit(List.of(message("b")));
    unplugged.countDown();

    assertAllProcessed(List.of(sequence.get(0), others.get(0)));
    assertThatThrownBy(() -> sequence.get(1).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HandlerFailedException.class)
        .hasStackTraceContaining("UnprintableException, which cannot be printed");
    assertThatThrownBy(() -> sequence.get(2).get(30, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(effects().all()).containsExactly("a", "b", "plug");
  }

  private static final class UnprintableException extends RuntimeException {
    @Override
    public String getMessage() {
      return "so deep: " + this; // Which asks for the message.
    }
  }

  @Test
  void whatWasRedeliveredRunsApartFromWhatIsFresh() throws Exception {
    Set<Set<Boolean>> batches = ConcurrentHashMap.newKeySet();
    InboxLanes lanes =
        open(
            ONE_LANE,
            batchInbox(
                dsl(),
                (messages, tx) ->
                    batches.add(
                        messages.stream()
                            .map(message -> message.attempt() > 1)
                            .collect(Collectors.toSet()))));
    plug(lanes);
    List<InboxMessage> mixed =
        IntStream.range(0, 20)
            .mapToObj(i -> InboxMessage.builder(TOPIC).keys("p" + i).attempt(1 + i % 2).build())
            .toList();

    List<CompletableFuture<Receipt>> receipts = lanes.submit(mixed);
    unplugged.countDown();

    assertAllProcessed(receipts);
    assertThat(batches).containsExactlyInAnyOrder(Set.of(true), Set.of(false));
  }

  @Test
  void aMessageWithoutAKeyFailsAtOnceAndAlone() {
    InboxLanes lanes = open(ONE_LANE, inbox(Effects.handler()));

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(InboxMessage.builder(TOPIC).build(), message("a")));

    assertThatThrownBy(() -> receipts.get(0).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(KeyRefusedException.class);
    assertAllProcessed(receipts.subList(1, 2));
  }
}
