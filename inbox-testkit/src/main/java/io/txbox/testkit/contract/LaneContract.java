package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.BatchInboxHandler;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;

/** What the contracts of lanes have in common. */
abstract class LaneContract extends DatabaseContract {
  static final LaneSettings BATCHES = LaneSettings.DEFAULTS;
  static final LaneSettings ONE_LANE = BATCHES.withLanes(1).withBatchTime(Duration.ofSeconds(30));
  static final String FAILS = "fails";
  static final String SPOILS = "spoils";
  static final Duration SOON = Duration.ofSeconds(30);

  final List<InboxLanes> opened = new ArrayList<>();
  final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  final CountDownLatch plugged = new CountDownLatch(1);
  final CountDownLatch unplugged = new CountDownLatch(1);

  @Override
  @AfterEach
  void leavesNothingBehind() {
    opened.forEach(InboxLanes::close);
    super.leavesNothingBehind();
  }

  InboxLanes open(LaneSettings settings, Inbox inbox) {
    inbox.check();
    InboxLanes lanes = new InboxLanes(group, inbox, settings);
    opened.add(lanes);
    return lanes;
  }

  /** Keeps the only lane busy, so that what is submitted next comes together. */
  List<CompletableFuture<Receipt>> plug(InboxLanes lanes) {
    List<CompletableFuture<Receipt>> plug = lanes.submit(List.of(message("plug")));
    InboxContract.awaitLatch(plugged);
    return plug;
  }

  @Override
  Inbox inbox(DSLContext dsl, InboxHandler handler) {
    return super.inbox(
        dsl, (message, tx) -> unlessPlug(message, tx, () -> handler.handle(message, tx)));
  }

  BatchInboxHandler plugged(BatchInboxHandler handler) {
    return (messages, tx) -> unlessPlug(messages.get(0), tx, () -> handler.handle(messages, tx));
  }

  void unlessPlug(InboxMessage message, DSLContext tx, ThrowingRunnable handler) throws Exception {
    if (!message.keys().equals(Optional.of("plug"))) {
      handler.run();
      return;
    }
    Effects.add(tx, "plug");
    plugged.countDown();
    InboxContract.awaitLatch(unplugged);
  }

  @FunctionalInterface
  interface ThrowingRunnable {
    void run() throws Exception;
  }

  Inbox batchInbox(DSLContext dsl, BatchInboxHandler handler) {
    return builder(dsl).batchHandler(TOPIC, BY_KEYS, plugged(handler)).build();
  }

  static List<InboxMessage> messages(int count) {
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

  static InboxMessage bad(String key) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property(FAILS, "always")
        .build();
  }

  /** Its handler waits for a moment, which an interrupt would end. */
  static InboxMessage pausing(String key) {
    return InboxMessage.builder(TOPIC)
        .keys(key)
        .property(Effects.NAME, key)
        .property(Effects.PAUSES, "1")
        .build();
  }

  static Optional<String> account(InboxMessage message) {
    return message.property("account");
  }

  static InboxHandler failing() {
    return (message, tx) -> {
      Effects.handler().handle(message, tx);
      if (message.property(FAILS).isPresent()) {
        throw new IOException("always");
      }
    };
  }

  InboxHandler counting(InboxHandler handler) {
    return (message, tx) -> {
      calls
          .computeIfAbsent(message.keys().orElseThrow(), any -> new AtomicInteger())
          .incrementAndGet();
      handler.handle(message, tx);
    };
  }

  static BatchInboxHandler recording(List<List<String>> batches) {
    return (messages, tx) -> {
      batches.add(messages.stream().map(message -> message.keys().orElseThrow()).toList());
      for (InboxMessage message : messages) {
        Effects.add(tx, message.property(Effects.NAME).orElseThrow());
      }
    };
  }

  static List<String> names(List<InboxMessage> messages, Function<InboxMessage, Boolean> which) {
    return messages.stream()
        .filter(which::apply)
        .map(message -> message.keys().orElseThrow())
        .toList();
  }

  static boolean isSorted(List<Integer> numbers) {
    return numbers.equals(numbers.stream().sorted().toList());
  }

  static void assertAllProcessed(List<CompletableFuture<Receipt>> receipts) {
    assertThat(receipts).allMatch(receipt -> join(receipt).isProcessed());
  }

  static Receipt join(CompletableFuture<Receipt> receipt) {
    return receipt.orTimeout(30, TimeUnit.SECONDS).join();
  }
}
