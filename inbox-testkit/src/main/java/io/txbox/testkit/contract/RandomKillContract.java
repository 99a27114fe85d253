package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.inbox.InboxEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each effect once while consumers' processes are killed (SIGKILL) at random moments and started
 * again, and the sender sends again.
 *
 * <p>{@code -Dtxbox.kill-seed=…} repeats the choices of a run, though not the machine's timing.
 */
public abstract class RandomKillContract extends SharedBrokerContract {
  private static final int PROCESSES = 3;
  private static final int ACCOUNTS = 10;
  private static final int BACKLOG = 200;
  private static final int BURST = 20;

  /** On a busy machine process after process dies before it has done anything. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final long seed = Long.getLong("txbox.kill-seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final AtomicInteger kills = new AtomicInteger();
  private final List<Integer> cents = new ArrayList<>();

  /** For subclasses. */
  protected RandomKillContract() {}

  /** Returns a class whose {@code main} calls {@link ConsumerProcessMain#run} with the dialect. */
  protected abstract Class<?> consumerMain();

  @Override
  int queues() {
    return 4;
  }

  // BC-46, BC-47
  @Test
  void hasEachEffectOnceThroughTenRandomKills() {
    killAtRandom(10);
  }

  // BC-46, BC-47
  @Test
  @Tag("slow")
  void hasEachEffectOnceThroughFiftyRandomKills() {
    killAtRandom(50);
  }

  private void killAtRandom(int wanted) {
    IntStream.range(0, ACCOUNTS).forEach(i -> effects().open(account(i)));
    List<CompletableFuture<List<Life>>> killers =
        Stream.generate(random::nextLong)
            .limit(PROCESSES)
            .map(Random::new)
            .map(
                choices ->
                    CompletableFuture.supplyAsync(
                        () -> kill(wanted, choices), InboxContract.THREADS))
            .toList();
    CompletableFuture<Void> killed =
        CompletableFuture.allOf(killers.toArray(CompletableFuture[]::new));
    while (!killed.isDone()) {
      sendBurst();
      soon()
          .atMost(PATIENCE)
          .until(() -> killed.isDone() || cents.size() - effects().count() < BACKLOG);
    }
    List<Life> lives = killers.stream().flatMap(killer -> killer.join().stream()).toList();

    start(Effects.handler());
    soon().until(() -> effects().count() >= cents.size());
    awaitAllAcknowledged();
    assertEachEffectOnce();
    assertKillsFellAllOver(lives, wanted);
  }

  private void sendBurst() {
    for (int i = 0; i < BURST; i++) {
      cents.add(random.nextInt(100));
      sendPayment(cents.size() - 1);
      if (random.nextInt(4) == 0) { // A copy with a message id of its own.
        sendPayment(random.nextInt(cents.size()));
      }
    }
  }

  private void sendPayment(int number) {
    producer
        .message(topic, "payment " + number)
        .key(key(number))
        .property(Effects.NAME, key(number))
        .property(Effects.PAUSES, String.valueOf(number % 20))
        .property(Effects.CREDITS, account(number % ACCOUNTS))
        .property(Effects.CENTS, String.valueOf(cents.get(number)))
        .send();
  }

  private static String key(int number) {
    return "p" + number;
  }

  private static String account(int number) {
    return "account-" + number;
  }

  /** Starts processes and kills them, one after the other. */
  private List<Life> kill(int wanted, Random choices) {
    List<Life> lives = new ArrayList<>();
    for (int number = kills.getAndIncrement(); number < wanted; number = kills.getAndIncrement()) {
      Moment moment = Moment.choose(number, choices);
      try (ConsumerProcess process =
          ConsumerProcess.of(consumerMain(), broker().nameServer(), database(), group, topic)
              .launch()) {
        if (!moment.inStart()) {
          process.awaitReady();
        }
        inNoTime().until(() -> process.journal().lines().size() >= moment.progress());
        inNoTime().pollDelay(moment.delay()).until(() -> true);
        process.kill();
        lives.add(new Life(process.journal().lines()));
      }
    }
    return lives;
  }

  private static ConditionFactory inNoTime() {
    return soon().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
  }

  private void assertEachEffectOnce() {
    List<String> keys = IntStream.range(0, cents.size()).mapToObj(RandomKillContract::key).toList();
    assertThat(effects().all()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(effects().balance())
        .as("seed %d", seed)
        .isEqualTo(cents.stream().mapToLong(Integer::longValue).sum());
    assertThat(inboxRows()).as("seed %d", seed).isEqualTo(keys.size());
    assertThat(broker().deadLetters(group)).isZero();
  }

  private void assertKillsFellAllOver(List<Life> lives, int wanted) {
    Life last =
        new Life(events.of(InboxEvent.OfMessage.class).stream().map(Journal::lineOf).toList());
    Fates fates = Fates.of(lives, last);
    System.out.printf("%nseed %d, %d messages: %s%n", seed, cents.size(), fates);
    assertThat(fates.kills()).isEqualTo(wanted);
    assertThat(fates.killedInStart()).as("%s", fates).isPositive();
    assertThat(fates.rolledBack()).as("%s", fates).isPositive();
    assertThat(fates.redelivered()).as("%s", fates).isPositive();
    assertThat(fates.resent()).as("%s", fates).isPositive();
    assertThat(fates.conflicts()).as("%s", fates).isZero();
  }

  /**
   * When to kill: when its journal has so many lines, or at its start, and then this much later.
   */
  private record Moment(boolean inStart, int progress, Duration delay) {
    /** Each fifth process dies while it starts, each fifth some time after, others at work. */
    static Moment choose(int number, Random choices) {
      return switch (number % 5) {
        case 0 -> new Moment(true, 0, millis(number == 0 ? 1 : choices.nextInt(3_000)));
        case 1 -> new Moment(false, 0, millis(choices.nextInt(2_000)));
        default -> new Moment(false, choices.nextInt(200), millis(choices.nextInt(50)));
      };
    }

    private static Duration millis(int millis) {
      return Duration.ofMillis(millis);
    }
  }
}
