package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.inbox.InboxEvent;
import io.txbox.janitor.JanitorEvent;
import io.txbox.janitor.JanitorHealth;
import io.txbox.janitor.Retention;
import io.txbox.rocketmq.InboxConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The janitor inside a consumer, with a real broker and in real time. */
public abstract class RetentionConsumerContract extends SharedBrokerContract {
  private static final int MESSAGES = 5;

  /** For subclasses. */
  protected RetentionConsumerContract() {}

  // BC-02, BC-49
  @Test
  @Tag("slow")
  void parksWhatComesAgainAfterItsRowWasPurged() {
    List<JanitorEvent> told = new CopyOnWriteArrayList<>();
    Retention second = Retention.of(Duration.ofSeconds(1)).byWallClock().acceptShortRetention();
    IntStream.range(0, MESSAGES).forEach(i -> send("p" + i));
    InboxConsumer first =
        start(
            consumer()
                .retention(second)
                .janitorListener(told::add)
                .subscribe(topic, BY_KEYS, Effects.handler()));
    awaitAllAcknowledged();
    soon().until(() -> inboxRows() == 0);
    soon().until(() -> told.stream().anyMatch(JanitorEvent.Purged.class::isInstance));
    first.close();
    assertThat(effects().count()).isEqualTo(MESSAGES);

    broker().resetOffsets(group, topic, 0);
    start(consumer().retention(second).subscribe(topic, BY_KEYS, Effects.handler()));

    soon().until(() -> events.of(InboxEvent.Parked.class).size() == MESSAGES);
    awaitAllAcknowledged();
    assertThat(effects().count()).isEqualTo(MESSAGES);
    assertThat(inboxRows()).isEqualTo(MESSAGES);
  }

  @Test
  void saysHowItsJanitorDoes() {
    InboxConsumer consumer = start(Effects.handler());
    send("a");
    awaitAllAcknowledged();

    soon().until(() -> consumer.janitorHealth().flatMap(JanitorHealth::lastPass).isPresent());
    JanitorHealth health = consumer.janitorHealth().orElseThrow();
    assertThat(health.problems()).isEmpty();
    assertThat(health.groups())
        .singleElement()
        .satisfies(
            of -> {
              assertThat(of.consumerGroup()).isEqualTo(group);
              assertThat(of.heldBy()).isPresent(); // It has not been watched for long enough.
            });
    consumer.close();
    assertThat(consumer.janitorHealth()).isEqualTo(Optional.empty());
  }

  @Test
  void hasNoneIfItIsTold() {
    InboxConsumer consumer =
        start(consumer().withoutJanitor().subscribe(topic, BY_KEYS, Effects.handler()));

    assertThat(consumer.janitorHealth()).isEmpty();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals(group + "-janitor"));
  }
}
