package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.InboxEvent;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** ATOMIC and ACK-AFTER-COMMIT when the consumer's process is killed (SIGKILL), at any time. */
public abstract class ConsumerCrashContract extends SharedBrokerContract {
  private static final String GATE = "gate";

  /** For subclasses. */
  protected ConsumerCrashContract() {}

  /** Returns a class whose {@code main} calls {@link ConsumerProcessMain#run} with the dialect. */
  protected abstract Class<?> consumerMain();

  private ConsumerProcess startProcess() {
    return ConsumerProcess.start(consumerMain(), broker().nameServer(), database(), group, topic);
  }

  // BC-46
  @Test
  void leavesNothingWhenItIsKilledInItsTransaction() throws SQLException {
    Effects.add(dsl(), GATE);
    producer
        .message(topic, "body")
        .key("a")
        .property(Effects.NAME, "a")
        .property(Effects.TOUCHES, GATE)
        .send();

    try (RowLock lock = RowLock.hold(database(), GATE)) {
      try (ConsumerProcess killed = startProcess()) {
        soon().until(() -> LockWaits.count(dsl()) == 1);
        killed.kill();
      }
      // Its session does not know yet, and still has the key claimed: the next one waits for it.
      start(Effects.handler());
      soon().until(() -> LockWaits.count(dsl()) == 2);
      assertThat(inboxRows()).isZero();
      assertThat(effects().all()).containsExactly(GATE);
      lock.release();

      awaitAllAcknowledged();
    }
    assertThat(events.of(InboxEvent.Processed.class)).hasSize(1);
    assertThat(effects().all()).containsExactly("a", GATE);
    assertThat(inboxRows()).isEqualTo(1);
  }

  // BC-47
  @Test
  void skipsWhatWasCommittedBeforeItWasKilled() {
    List<String> keys = IntStream.range(0, 20).mapToObj(i -> "p" + i).toList();
    keys.forEach(this::send);

    try (ConsumerProcess killed = startProcess()) {
      soon().pollInterval(Duration.ofMillis(5)).until(() -> effects().count() > 0);
      killed.kill();
    }
    start(Effects.handler());

    awaitAllAcknowledged();
    assertThat(events.of(InboxEvent.Duplicate.class))
        .isNotEmpty()
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(inboxRows()).isEqualTo(keys.size());
  }
}
