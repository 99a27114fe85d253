package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.txbox.DatabaseFailedException;
import io.txbox.HandlerFailedException;
import io.txbox.InboxMessage;
import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.Receipt;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxTable;
import io.txbox.store.RowState;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jooq.Record;
import org.junit.jupiter.api.Test;

/** ATOMIC, ACK-AFTER-COMMIT and COUNTED, as far as the engine goes. */
public abstract class InboxContract extends DatabaseContract {
  /** For subclasses. */
  protected InboxContract() {}

  // ATOMIC

  @Test
  void commitsInboxRowAndEffectTogether() {
    Receipt receipt = inbox(Effects.handler()).receive(message("a"));

    assertThat(receipt.isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
    assertThat(inboxRows()).isEqualTo(1);
  }

  @Test
  void rollsBackInboxRowAndEffectWhenHandlerThrows() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              throw new IOException("no");
            });

    HandlerFailedException failure =
        catchThrowableOfType(HandlerFailedException.class, () -> inbox.receive(message("a")));

    assertThat(failure).hasRootCauseInstanceOf(IOException.class);
    assertThat(effects().count()).isZero();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void rollsBackWhenHandlerThrowsAnError() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              throw new NoClassDefFoundError("x/Y");
            });

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(HandlerFailedException.class)
        .hasCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(effects().count()).isZero();
    assertThat(inboxRows()).isZero();
  }

  @Test
  void runsAgainWhatFailedBefore() {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              if (runs.incrementAndGet() == 1) {
                throw new IOException("the first time");
              }
            });
    InboxMessage message = message("a");

    assertThatThrownBy(() -> inbox.receive(message)).isInstanceOf(HandlerFailedException.class);
    assertThat(inbox.receive(message).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
  }

  @Test
  void keepsTheInterruptFlagOfAnInterruptedHandler() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              throw new InterruptedException();
            });

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(HandlerFailedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void storesWhatTellsCopiesApartLater() {
    Instant bornAt = Instant.parse("2026-03-29T01:00:10.123Z");
    InboxMessage message =
        InboxMessage.builder(TOPIC)
            .keys("a")
            .messageId("ID-1")
            .bornAt(bornAt)
            .storedAt(bornAt.plusMillis(7))
            .build();

    inbox((received, tx) -> {}).receive(message);

    InboxTable inbox = InboxSchema.ofConnection().inbox();
    Record row = dsl().selectFrom(inbox).where(inbox.messageTime.eq(bornAt)).fetchSingle();
    assertThat(row.get(inbox.messageTime)).isEqualTo(bornAt);
    assertThat(row.get(inbox.messageId)).isEqualTo("ID-1");
    assertThat(row.get(inbox.state)).isEqualTo(RowState.PROCESSED.code());
    assertThat(row.get(inbox.processedAt)).isAfter(bornAt);
  }

  // ACK-AFTER-COMMIT

  @Test
  void runsOnceForManyThreadsWithOneKey() {
    int threads = 12;
    Inbox inbox = inbox(Effects.handler());

    List<Receipt> receipts = atOnce(threads, i -> inbox.receive(message("a")));

    assertThat(receipts).filteredOn(Receipt::isProcessed).hasSize(1);
    assertThat(receipts).filteredOn(Receipt::isDuplicate).hasSize(threads - 1);
    assertThat(effects().all()).containsExactly("a");
  }

  // BC-05
  @Test
  void waiterTakesOverWhenHolderRollsBack() throws Exception {
    Holder holder = new Holder();
    CompletableFuture<Receipt> first = holder.receive(message("a"));
    CompletableFuture<Receipt> second = waiting(message("a"));

    holder.fail();

    assertThat(first).failsWithin(Duration.ofSeconds(10));
    assertThat(second).succeedsWithin(Duration.ofSeconds(10)).matches(Receipt::isProcessed);
    assertThat(effects().all()).containsExactly("a");
  }

  // BC-05
  @Test
  void waiterIsDuplicateOnlyOnceHolderHasCommitted() throws Exception {
    Holder holder = new Holder();
    CompletableFuture<Receipt> first = holder.receive(message("a"));
    CompletableFuture<Receipt> second = waiting(message("a"));

    assertThat(second).isNotDone();
    holder.succeed();

    assertThat(first).succeedsWithin(Duration.ofSeconds(10)).matches(Receipt::isProcessed);
    assertThat(second).succeedsWithin(Duration.ofSeconds(10)).matches(Receipt::isDuplicate);
    assertThat(effects().all()).containsExactly("a");
  }

  // BC-23
  @Test
  void oneOfManyWaitersTakesOverWhenHolderRollsBack() throws Exception {
    Holder holder = new Holder();
    CompletableFuture<Receipt> first = holder.receive(message("a"));
    List<CompletableFuture<Receipt>> waiters =
        IntStream.range(0, 5).mapToObj(i -> waiting(message("a"))).toList();

    holder.fail();

    assertThat(first).failsWithin(Duration.ofSeconds(10));
    assertThat(waiters)
        .allSatisfy(waiter -> assertThat(waiter).succeedsWithin(Duration.ofSeconds(20)));
    assertThat(waiters).filteredOn(waiter -> waiter.join().isProcessed()).hasSize(1);
    assertThat(effects().all()).containsExactly("a");
  }

  // BC-45
  @Test
  void waitsForABusyKeyWithoutUsingRetriesUp() throws Exception {
    Holder holder = new Holder();
    CompletableFuture<Receipt> first = holder.receive(message("a"));
    Inbox impatient =
        builder(dsl())
            .claimWait(Duration.ofSeconds(1))
            .maxTransientRetries(0)
            .handler(TOPIC, BY_KEYS, Effects.handler())
            .build();
    CompletableFuture<Receipt> second =
        CompletableFuture.supplyAsync(() -> impatient.receive(message("a")), THREADS);

    await().atMost(Duration.ofMinutes(1)).until(() -> events.of(InboxEvent.Busy.class).size() >= 2);
    assertThat(second).isNotDone();
    holder.succeed();

    assertThat(first).succeedsWithin(Duration.ofSeconds(10));
    assertThat(second).succeedsWithin(Duration.ofSeconds(10)).matches(Receipt::isDuplicate);
    assertThat(events.of(InboxEvent.Retried.class)).isEmpty();
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
  }

  // Duplicates, and why

  @Test
  void tellsARedeliveryFromAResendAndAConflict() {
    Inbox inbox = inbox(Effects.handler());
    InboxMessage first = message("a");
    InboxMessage resent = message("a");
    InboxMessage other =
        InboxMessage.builder(TOPIC)
            .keys("a")
            .property(Effects.NAME, "other")
            .body(new byte[] {1})
            .build();

    inbox.receive(first);

    assertThat(inbox.receive(first).duplicateCause()).contains(DuplicateCause.REDELIVERY);
    assertThat(inbox.receive(resent).duplicateCause()).contains(DuplicateCause.RESENT);
    assertThat(inbox.receive(other).duplicateCause()).contains(DuplicateCause.CONFLICT);
    assertThat(effects().all()).containsExactly("a");
  }

  // COUNTED

  @Test
  void endsEachDeliveryInOneEvent() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              if (message.keys().orElseThrow().equals("bad")) {
                throw new IOException("bad");
              }
            });
    InboxMessage good = message("good");

    inbox.receive(good);
    inbox.receive(good);
    assertThatThrownBy(() -> inbox.receive(message("bad")));
    assertThatThrownBy(() -> inbox.receive(InboxMessage.builder(TOPIC).build()));

    assertThat(events.of(InboxEvent.Ended.class))
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly("Processed", "Duplicate", "Failed", "KeyRefused");
  }

  @Test
  void aListenerThatThrowsChangesNothing() {
    Inbox inbox =
        builder(dsl())
            .listener(
                event -> {
                  throw new StackOverflowError("a broken listener");
                })
            .handler(TOPIC, BY_KEYS, Effects.handler())
            .build();

    assertThat(inbox.receive(message("a")).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a");
  }

  // FAIL-CLOSED

  @Test
  void runsNoHandlerWhenTheInboxCannotBeAsked() {
    Inbox inbox = inbox(Effects.handler());
    inbox.receive(message("a"));
    InboxTable table = InboxSchema.ofConnection().inbox();
    dsl().alterTable(table).renameTo("inbox_away").execute();
    try {
      assertThatThrownBy(() -> inbox.receive(message("b")))
          .isInstanceOf(DatabaseFailedException.class);
    } finally {
      dsl().alterTable("inbox_away").renameTo(table).execute();
    }
    assertThat(effects().all()).containsExactly("a");
    assertThat(inbox.receive(message("b")).isProcessed()).isTrue();
  }

  static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "contract");
            thread.setDaemon(true);
            return thread;
          });

  static <T> List<T> atOnce(int threads, IntFunction<T> work) {
    CountDownLatch start = new CountDownLatch(threads);
    List<CompletableFuture<T>> futures =
        IntStream.range(0, threads)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          start.countDown();
                          awaitLatch(start);
                          return work.apply(i);
                        },
                        THREADS))
            .toList();
    return futures.stream().map(CompletableFuture::join).toList();
  }

  static void awaitLatch(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("waited for 30 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Receives a message in a thread of its own and returns once its claim waits for a rival. */
  private CompletableFuture<Receipt> waiting(InboxMessage message) {
    int before = LockWaits.count(dsl());
    CompletableFuture<Receipt> receipt =
        CompletableFuture.supplyAsync(() -> inbox(Effects.handler()).receive(message), THREADS);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> LockWaits.count(dsl()) > before || receipt.isDone());
    return receipt;
  }

  /** Holds a message's transaction open, in its handler, until it is told how to end. */
  private final class Holder {
    private final CountDownLatch inHandler = new CountDownLatch(1);
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    CompletableFuture<Receipt> receive(InboxMessage message) {
      Inbox inbox =
          inbox(
              (received, tx) -> {
                Effects.handler().handle(received, tx);
                inHandler.countDown();
                if (!end.get(30, TimeUnit.SECONDS)) {
                  throw new IOException("told to fail");
                }
              });
      CompletableFuture<Receipt> receipt =
          CompletableFuture.supplyAsync(() -> inbox.receive(message), THREADS);
      awaitLatch(inHandler);
      return receipt;
    }

    void succeed() {
      end.complete(true);
    }

    void fail() {
      end.complete(false);
    }
  }
}
