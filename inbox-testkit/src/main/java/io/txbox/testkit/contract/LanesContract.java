package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.BatchInboxHandler;
import io.txbox.HandlerFailedException;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxEvent.PauseReason;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.testkit.network.TcpProxy;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many messages in one transaction: what fails, waits or comes twice harms none of the others. */
public abstract class LanesContract extends DatabaseContract {
  private static final LaneSettings BATCHES = LaneSettings.DEFAULTS;
  private static final LaneSettings ONE_LANE =
      BATCHES.withLanes(1).withBatchTime(Duration.ofSeconds(30));
  private static final String FAILS = "fails";
  private static final String SPOILS = "spoils";
  private static final Duration SOON = Duration.ofSeconds(30);

  private final List<InboxLanes> opened = new ArrayList<>();
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final CountDownLatch plugged = new CountDownLatch(1);
  private final CountDownLatch unplugged = new CountDownLatch(1);

  /** For subclasses. */
  protected LanesContract() {}

  /**
   * Returns statements after each of which, in the same transaction, the handler of another message
   * would find another {@code business_effect} than the real one, or could not write to it.
   */
  protected abstract List<String> spoilingTheTransaction();

  /** Has the server end the connection, as an administrator would; throws what that makes of it. */
  protected abstract void breakConnectionOf(DSLContext tx);

  @Override
  @AfterEach
  void leavesNothingBehind() {
    opened.forEach(InboxLanes::close);
    super.leavesNothingBehind();
  }

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
    assertThat(sequence.get(2)).isCancelled();
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

  // Waiting

  @Test
  void nobodyWaitsForAKeyThatIsBusyElsewhere() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch inHandler = new CountDownLatch(1);
    Inbox elsewhere =
        inbox(
            (message, tx) -> {
              inHandler.countDown();
              InboxContract.awaitLatch(mayEnd);
              throw new IOException("rolls back");
            });
    CompletableFuture<Receipt> rival =
        CompletableFuture.supplyAsync(() -> elsewhere.receive(message("busy")));
    InboxContract.awaitLatch(inHandler);
    InboxLanes lanes = open(ONE_LANE, inbox(Effects.handler()));
    List<InboxMessage> messages = new ArrayList<>(messages(20));
    messages.add(10, message("busy"));

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages);
    CompletableFuture<Receipt> busy = receipts.get(10);

    receipts.stream().filter(receipt -> receipt != busy).forEach(LanesContract::join);
    await().atMost(SOON).until(() -> events.of(InboxEvent.Busy.class).size() >= 5);
    assertAllProcessed(lanes.submit(List.of(message("later"))));
    assertThat(busy).isNotDone();
    mayEnd.countDown();

    assertThat(rival).failsWithin(SOON);
    assertThat(join(busy).isProcessed()).isTrue();
    // The rival's; that the key was busy is no failure of anyone.
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
    assertThat(effects().count()).isEqualTo(22);
  }

  @Test
  void nobodyWaitsForManyKeysThatAreBusyElsewhere() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch inHandler = new CountDownLatch(1);
    InboxLanes elsewhere =
        open(
            ONE_LANE,
            batchInbox(
                dsl(),
                (messages, tx) -> {
                  inHandler.countDown();
                  InboxContract.awaitLatch(mayEnd);
                }));
    List<InboxMessage> busy = messages(64);
    List<CompletableFuture<Receipt>> rivals = elsewhere.submit(busy);
    InboxContract.awaitLatch(inHandler);
    InboxLanes lanes = open(ONE_LANE, inbox(Effects.handler()));
    List<CompletableFuture<Receipt>> waiting = lanes.submit(busy);
    await().atMost(SOON).until(() -> events.of(InboxEvent.Busy.class).size() >= 2 * 64);

    for (int i = 0; i < 20; i++) {
      assertAllProcessed(lanes.submit(List.of(message("fresh" + i))));
    }

    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    mayEnd.countDown();
    assertAllProcessed(rivals);
    assertThat(waiting).allMatch(receipt -> join(receipt).isDuplicate());
  }

  @Test
  void aSlowMessageHoldsUpOnlyWhatItsLaneTook() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch inHandler = new CountDownLatch(1);
    InboxLanes lanes =
        open(
            BATCHES.withLanes(2),
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().orElseThrow().equals("slow")) {
                    inHandler.countDown();
                    InboxContract.awaitLatch(mayEnd);
                  }
                }));

    List<CompletableFuture<Receipt>> slow = lanes.submit(List.of(message("slow")));
    InboxContract.awaitLatch(inHandler);

    assertAllProcessed(lanes.submit(messages(50)));
    assertThat(slow.get(0)).isNotDone();
    mayEnd.countDown();
    assertAllProcessed(slow);
  }

  @Test
  void handlersThatHangHoldUpOnlyWhatTheirLanesTook() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    Set<String> hanging = ConcurrentHashMap.newKeySet();
    InboxLanes lanes =
        open(
            BATCHES,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.keys().orElseThrow().startsWith("hangs")) {
                    hanging.add(message.keys().get());
                    InboxContract.awaitLatch(mayEnd);
                  }
                }));
    List<CompletableFuture<Receipt>> receipts = new ArrayList<>();
    for (int i = 1; i <= BATCHES.lanes() - 1; i++) {
      receipts.addAll(lanes.submit(List.of(message("hangs" + i))));
      int taken = i;
      await().atMost(SOON).until(() -> hanging.size() == taken);
    }

    assertAllProcessed(lanes.submit(messages(50)));
    assertThat(receipts).noneMatch(CompletableFuture::isDone);
    mayEnd.countDown();
    assertAllProcessed(receipts);
  }

  @Test
  void givesBackWhatTheBatchHasNoTimeFor() throws Exception {
    CountingTransactions transactions = new CountingTransactions(dsl());
    InboxLanes lanes =
        open(
            ONE_LANE.withBatchTime(Duration.ofMillis(30)),
            inbox(
                transactions.dsl(),
                counting(
                    (message, tx) -> {
                      Effects.handler().handle(message, tx);
                      new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
                    })));
    plug(lanes);
    int before = transactions.committed();

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(12));
    unplugged.countDown();

    assertAllProcessed(receipts);
    assertThat(transactions.committed() - before).isGreaterThan(3);
    assertThat(calls.values()).allMatch(times -> times.get() == 1);
    assertThat(effects().count()).isEqualTo(13);
    assertThat(inboxRows()).isEqualTo(13);
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

  // Pause, stop, outage

  @Test
  void takesNothingWhileItIsPaused() {
    InboxLanes lanes = open(BATCHES, inbox(Effects.handler()));
    assertAllProcessed(lanes.submit(List.of(message("before"))));
    lanes.pause();

    List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(5));
    lanes.pause();
    assertAllProcessed(
        open(BATCHES, inbox(Effects.handler())).submit(List.of(message("of another instance"))));
    assertThat(receipts).noneMatch(CompletableFuture::isDone);
    lanes.resume();
    lanes.resume();

    assertAllProcessed(receipts);
    assertThat(events.of(InboxEvent.Paused.class))
        .containsExactly(new InboxEvent.Paused(PauseReason.REQUESTED, Optional.empty()));
    assertThat(events.of(InboxEvent.Resumed.class))
        .extracting(InboxEvent.Resumed::reason)
        .containsExactly(PauseReason.REQUESTED);
  }

  @Test
  void cancelsWhatWaitsAndEndsWhatHasBegunWhenItIsStopped() throws Exception {
    InboxLanes lanes = open(ONE_LANE, inbox(Effects.handler()));
    List<CompletableFuture<Receipt>> begun = plug(lanes);
    List<CompletableFuture<Receipt>> waiting = lanes.submit(messages(5));

    lanes.stop();
    assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
    unplugged.countDown();
    assertAllProcessed(begun);
    lanes.close();

    assertThat(effects().all()).containsExactly("plug");
    assertThat(lanes.submit(messages(1))).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void aHandlerThatLeavesItsThreadInterruptedHarmsNoOther() throws Exception {
    InboxLanes lanes =
        open(
            ONE_LANE,
            inbox(
                (message, tx) -> {
                  Effects.handler().handle(message, tx);
                  if (message.property(FAILS).isPresent()) {
                    throw new InterruptedException("by its own doing");
                  }
                  Thread.currentThread().interrupt();
                }));
    plug(lanes);

    List<CompletableFuture<Receipt>> receipts =
        lanes.submit(List.of(pausing("a"), bad("bad"), pausing("b"), pausing("c")));
    unplugged.countDown();

    assertThat(receipts.get(1)).failsWithin(SOON);
    assertAllProcessed(List.of(receipts.get(0), receipts.get(2), receipts.get(3)));
    assertAllProcessed(lanes.submit(List.of(pausing("d"))));
    assertThat(events.of(InboxEvent.Failed.class)).hasSize(1);
  }

  // OUTAGE-IS-NOT-FAILURE
  @Test
  void anOutageOfTheDatabaseCostsNoMessageAnAttempt() {
    try (TcpProxy proxy = TcpProxy.to(database().host(), database().port())) {
      CountingTransactions transactions =
          new CountingTransactions(dslThrough(proxy, pool -> pool.setConnectionTimeout(500)));
      InboxLanes lanes = open(BATCHES.withLanes(2), inbox(transactions.dsl(), Effects.handler()));
      assertAllProcessed(lanes.submit(List.of(message("before"))));

      proxy.refuse();
      proxy.cut();
      int before = transactions.begun();
      List<CompletableFuture<Receipt>> receipts = lanes.submit(messages(40));
      await().atMost(SOON).until(() -> transactions.begun() > before + 3);
      assertThat(receipts).noneMatch(CompletableFuture::isDone);
      proxy.restore();

      assertAllProcessed(receipts);
      assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
      assertThat(effects().count()).isEqualTo(41);
      assertThat(events.of(InboxEvent.Paused.class))
          .isNotEmpty()
          .allMatch(paused -> paused.reason() == PauseReason.OUTAGE && paused.cause().isPresent());
      assertThat(events.of(InboxEvent.Resumed.class))
          .hasSameSizeAs(events.of(InboxEvent.Paused.class));
    }
  }

  // OUTAGE-IS-NOT-FAILURE
  @Test
  void anErrorOfThePoolEndsNoLane() {
    AtomicInteger errors = new AtomicInteger(3);
    DataSource pool =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, args) -> {
                  if (errors.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  return method.invoke(database().dataSource(), args);
                });
    Inbox inbox = builder(dsl(pool)).handler(TOPIC, BY_KEYS, Effects.handler()).build();
    InboxLanes lanes = new InboxLanes(group, inbox, ONE_LANE);
    opened.add(lanes);

    assertAllProcessed(lanes.submit(messages(5)));

    assertThat(errors).hasNegativeValue();
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
    assertThat(events.of(InboxEvent.Resumed.class)).hasSize(1);
  }

  // OUTAGE-IS-NOT-FAILURE
  @Test
  void noMessageHoldsUpTheOthersWhenTheDatabaseIsBack() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch inHandler = new CountDownLatch(1);
    try (TcpProxy proxy = TcpProxy.to(database().host(), database().port())) {
      InboxLanes lanes =
          open(
              BATCHES.withLanes(2),
              inbox(
                  dslThrough(proxy, pool -> pool.setConnectionTimeout(500)),
                  (message, tx) -> {
                    Effects.handler().handle(message, tx);
                    if (message.attempt() > 1) {
                      inHandler.countDown();
                      InboxContract.awaitLatch(mayEnd);
                    }
                  }));
      assertAllProcessed(lanes.submit(List.of(message("before"))));

      proxy.refuse();
      proxy.cut();
      // Of a kind of its own, so that it shares no batch with the others.
      InboxMessage slow =
          InboxMessage.builder(TOPIC)
              .keys("slow")
              .property(Effects.NAME, "slow")
              .attempt(2)
              .build();
      List<CompletableFuture<Receipt>> first = lanes.submit(List.of(slow));
      List<CompletableFuture<Receipt>> others = lanes.submit(messages(20));
      await().atMost(SOON).until(() -> !events.of(InboxEvent.Paused.class).isEmpty());
      proxy.restore();

      InboxContract.awaitLatch(inHandler);
      assertAllProcessed(others);
      assertThat(first.get(0)).isNotDone();
      mayEnd.countDown();
      assertAllProcessed(first);
    }
  }

  // What the tests are made of

  private InboxLanes open(LaneSettings settings, Inbox inbox) {
    inbox.check();
    InboxLanes lanes = new InboxLanes(group, inbox, settings);
    opened.add(lanes);
    return lanes;
  }

  /** Keeps the only lane busy, so that what is submitted next comes together. */
  private List<CompletableFuture<Receipt>> plug(InboxLanes lanes) {
    List<CompletableFuture<Receipt>> plug = lanes.submit(List.of(message("plug")));
    InboxContract.awaitLatch(plugged);
    return plug;
  }

  @Override
  Inbox inbox(DSLContext dsl, InboxHandler handler) {
    return super.inbox(
        dsl, (message, tx) -> unlessPlug(message, tx, () -> handler.handle(message, tx)));
  }

  private BatchInboxHandler plugged(BatchInboxHandler handler) {
    return (messages, tx) -> unlessPlug(messages.get(0), tx, () -> handler.handle(messages, tx));
  }

  private void unlessPlug(InboxMessage message, DSLContext tx, ThrowingRunnable handler)
      throws Exception {
    if (!message.keys().equals(Optional.of("plug"))) {
      handler.run();
      return;
    }
    Effects.add(tx, "plug");
    plugged.countDown();
    InboxContract.awaitLatch(unplugged);
  }

  @FunctionalInterface
  private interface ThrowingRunnable {
    void run() throws Exception;
  }

  private Inbox batchInbox(DSLContext dsl, BatchInboxHandler handler) {
    return builder(dsl).batchHandler(TOPIC, BY_KEYS, plugged(handler)).build();
  }

  private static List<InboxMessage> messages(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                InboxMessage.builder(TOPIC)
                    .keys("p" + i)
                    .property(Effects.NAME, "p" + i)
                    .property("account", "account-" + i % 9)
                    .build())
        .toList();
  }

  private static InboxMessage bad(String key) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property(FAILS, "always")
        .build();
  }

  /** Its handler waits for a moment, which an interrupt would end. */
  private static InboxMessage pausing(String key) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property(Effects.PAUSES, "1")
        .build();
  }

  private static Optional<String> account(InboxMessage message) {
    return message.property("account");
  }

  private static InboxHandler failing() {
    return (message, tx) -> {
      Effects.handler().handle(message, tx);
      if (message.property(FAILS).isPresent()) {
        throw new IOException("always");
      }
    };
  }

  private InboxHandler counting(InboxHandler handler) {
    return (message, tx) -> {
      calls
          .computeIfAbsent(message.keys().orElseThrow(), any -> new AtomicInteger())
          .incrementAndGet();
      handler.handle(message, tx);
    };
  }

  private static BatchInboxHandler recording(List<List<String>> batches) {
    return (messages, tx) -> {
      batches.add(messages.stream().map(message -> message.keys().orElseThrow()).toList());
      for (InboxMessage message : messages) {
        Effects.add(tx, message.property(Effects.NAME).orElseThrow());
      }
    };
  }

  private static List<String> names(
      List<InboxMessage> messages, Function<InboxMessage, Boolean> which) {
    return messages.stream()
        .filter(which::apply)
        .map(message -> message.keys().orElseThrow())
        .toList();
  }

  private static boolean isSorted(List<Integer> numbers) {
    return numbers.equals(numbers.stream().sorted().toList());
  }

  private static void assertAllProcessed(List<CompletableFuture<Receipt>> receipts) {
    assertThat(receipts).allMatch(receipt -> join(receipt).isProcessed());
  }

  private static Receipt join(CompletableFuture<Receipt> receipt) {
    return receipt.orTimeout(30, TimeUnit.SECONDS).join();
  }
}
