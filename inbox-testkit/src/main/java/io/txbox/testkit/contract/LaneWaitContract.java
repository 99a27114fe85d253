package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxEvent.PauseReason;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.testkit.network.TcpProxy;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What lanes wait for, and who waits with them: busy keys, slow handlers, pauses, outages. */
public abstract class LaneWaitContract extends LaneContract {
  /** For subclasses. */
  protected LaneWaitContract() {}

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
}
