package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.inbox.Inbox;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorEvent;
import io.txbox.janitor.ProgressUnknownException;
import io.txbox.janitor.QueueProgress;
import io.txbox.janitor.Retention;
import io.txbox.store.InboxLeaseTable;
import io.txbox.store.InboxSchema;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * PURGE-SAFE: what the purge clock shows, when it stands still, and who is told of it. Clocks that
 * differ and redeliveries that wait let no row go that is needed, nor stop the purge for good.
 */
public abstract class PurgeClockContract extends PurgeContract {
  /** For subclasses. */
  protected PurgeClockContract() {}

  @Test
  void standsStillWhileABrokerIsSilent() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    progress.silent(true);
    time.advance(WEEK.multipliedBy(2));
    announceAndPurge(janitor);

    assertThat(inboxRows()).isEqualTo(1);
    assertThat(told).last().isInstanceOf(JanitorEvent.ClockHeld.class);
    assertThat(janitor.health().isGood()).isTrue();
    time.advance(Duration.ofHours(2));
    janitor.pass();
    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains(group, "has stood still", "broker b does not answer");

    progress.silent(false);
    purge(janitor);
    purge(janitor);
    assertThat(told).anyMatch(JanitorEvent.ClockRuns.class::isInstance);
    assertThat(janitor.health().isGood()).isTrue();
  }

  @Test
  void standsStillForAQueueThatIsMissingUntilItIsRetired() {
    inbox().receive(message("a", time.instant()));
    progress.noLag(1);
    Janitor janitor = watched(Retention.of(WEEK));
    progress.gone(1);
    time.advance(WEEK.multipliedBy(2));
    purge(janitor);
    assertThat(inboxRows()).isEqualTo(1);
    assertThat(janitor.health().groups().get(0).heldBy())
        .hasValueSatisfying(why -> assertThat(why).contains("b/1", "topic T", "retireQueue"));

    assertThat(janitor.retireQueue(group, "T", ToldProgress.queue(1))).isTrue();
    assertThat(janitor.retireQueue(group, "T", ToldProgress.queue(1))).isFalse();
    purge(janitor);
    purge(janitor);
    assertThat(inboxRows()).isZero();
  }

  @Test
  void standsStillForALagOfUnknownTime() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    progress.lagOfUnknownTime(0);
    time.advance(WEEK.multipliedBy(2));
    purge(janitor);

    assertThat(inboxRows()).isEqualTo(1);
    assertThat(janitor.health().groups().get(0).heldBy()).isPresent();
  }

  @Test
  void goesByTheTimeOfDayIfItIsToldTo() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = open(builder -> builder.group(group, Retention.of(WEEK).byWallClock()));
    time.advance(WEEK.plusSeconds(1));
    purge(janitor);

    assertThat(inboxRows()).isZero();
  }

  @Test
  void redeliveriesThatAreSteadyStopNoPurge() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(Retention.of(WEEK));

    watchRedeliveries(janitor);
    time.advance(WEEK);
    watchRedeliveries(janitor);

    assertThat(inboxRows()).isZero();
    assertThat(janitor.health().problems()).isEmpty();
  }

  @Test
  void redeliveriesThatBecomeSteadyStopNoPurge() {
    Janitor janitor = watched(Retention.of(WEEK));
    inbox().receive(message("a", time.instant()));

    watchRedeliveries(janitor);
    time.advance(WEEK);
    watchRedeliveries(janitor);

    assertThat(inboxRows()).isZero();
  }

  /** Brokers learn of what was consumed every five seconds: at each look, something waits. */
  private void watchRedeliveries(Janitor janitor) {
    for (Duration left = WATCHED.multipliedBy(2);
        left.compareTo(Duration.ZERO) > 0;
        left = left.minus(STEP)) {
      time.advance(STEP);
      progress.retryLag(time.instant().minusSeconds(3));
      janitor.pass();
    }
  }

  @Test
  void saysWhatItWaitsForIfItHardlyGetsOn() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    progress.lag(0, time.instant());
    assertThat(janitor.health().isGood()).isTrue();

    watch(janitor);
    watch(janitor);

    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains(group, "has got on by", "queue b/0 of topic T is consumed through");
    progress.noLag(0);
    watch(janitor);
    watch(janitor);
    watch(janitor);
    assertThat(janitor.health().problems()).isEmpty();
  }

  @Test
  void saysThatItHasNotStartedForLong() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(Retention.of(WEEK));

    janitor.pass();
    for (int pass = 0; pass < 11; pass++) {
      time.advance(Duration.ofMinutes(150)); // Too seldom: 38 minutes of it count.
      janitor.pass();
    }

    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains("has shown no time in", "has been watched for", "of the 12 h 30 min");
  }

  @Test
  void oneThatKnowsAShorterLadderGoesByTheLongest() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = janitor(Retention.of(WEEK));
    Janitor shorter =
        open(builder -> builder.group(group, Retention.of(WEEK), new ShorterLadder(progress)));

    for (Duration left = WATCHED; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
      time.advance(STEP);
      janitor.pass();
      shorter.pass();
    }

    assertThat(clockOf(janitor)).isPresent();
    assertThat(clockOf(shorter).orElseThrow())
        .isBefore(time.instant().minus(ToldProgress.LADDER.multipliedBy(2)));
  }

  private static Optional<Instant> clockOf(Janitor janitor) {
    return janitor.health().groups().get(0).clock();
  }

  // BC-38
  @Test
  void oneWhoseClockIsAheadMakesNoMessageLate() {
    inbox().receive(message("a", time.instant()));
    watched(Retention.of(WEEK));
    Duration days = Duration.ofDays(10);
    InstantSource ahead = InstantSource.offset(time, days);
    ToldProgress seenFromThere = new ToldProgress(ahead).skew(days.negated());

    watch(open(builder -> builder.clock(ahead).group(group, Retention.of(WEEK), seenFromThere)));

    assertThat(inbox().receive(message("b", time.instant())).isProcessed()).isTrue();
  }

  // BC-38
  @Test
  void byTheTimeOfDayThatOfTheDatabaseCountsIfItIsBehind() {
    Instant now = Instant.now();
    Inbox inbox = builder(dsl()).handler(TOPIC, BY_KEYS, Effects.handler()).build();
    inbox.receive(message("a", now));
    Janitor ahead =
        open(
            builder ->
                builder
                    .clock(InstantSource.offset(InstantSource.system(), Duration.ofDays(10)))
                    .group(group, BY_THE_DAY));

    announceAndPurge(ahead);

    assertThat(inboxRows()).isEqualTo(1);
    assertThat(inbox.receive(message("b", now)).isProcessed()).isTrue();
  }

  // BC-38
  @Test
  void oneWhoseClockWasAheadForAMomentStopsNoPurge() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    InstantSource ahead = InstantSource.offset(time, Duration.ofDays(365));
    open(builder -> builder.clock(ahead).group(group, Retention.of(WEEK), new ToldProgress(ahead)))
        .pass();

    watch(janitor);
    time.advance(WEEK);
    purge(janitor);

    assertThat(inboxRows()).isZero();
  }

  @Test
  void oneThatOthersTakeOverFromSaysNothingOfTheClock() {
    inbox().receive(message("a", time.instant()));
    Janitor janitor = watched(Retention.of(WEEK));
    progress.silent(true);
    janitor.pass();
    InboxLeaseTable lease = InboxSchema.ofConnection().lease();
    for (int i = 0; i < 30; i++) {
      dsl().update(lease).set(lease.holder, "other").set(lease.beat, lease.beat.plus(1)).execute();
      time.advance(STEP);
      janitor.pass();
    }
    dsl().update(lease).setNull(lease.holder).execute();

    assertThat(janitor.health().standby()).isTrue();
    assertThat(janitor.health().problems()).isEmpty();
  }

  @Test
  void aRetentionThatIsTooShortIsToldOfOnceTheBrokersAnswer() {
    inbox().receive(message("a", time.instant()));
    progress.silent(true);
    Janitor janitor = janitor(Retention.of(Duration.ofHours(6)));
    janitor.check();
    assertThat(janitor.health().problems()).isEmpty();
    progress.silent(false);

    janitor.pass();

    assertThat(janitor.health().problems())
        .singleElement()
        .asString()
        .contains("retention of consumer group '" + group + "' is 6 h, but needs at least 3 d");
  }

  /** Tells the same as another one, of messages that are redelivered less often. */
  private static final class ShorterLadder implements GroupProgress {
    private final GroupProgress told;

    ShorterLadder(GroupProgress told) {
      this.told = told;
    }

    @Override
    public List<QueueProgress> queues() throws ProgressUnknownException {
      return told.queues();
    }

    @Override
    public BrokerTimes times() throws ProgressUnknownException {
      BrokerTimes times = told.times();
      return new BrokerTimes(
          times.storage(), Duration.ofHours(4), 5, times.longestDelay(), times.skew());
    }

    @Override
    public void close() {}
  }
}
