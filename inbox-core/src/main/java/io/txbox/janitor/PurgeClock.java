package io.txbox.janitor;

import io.txbox.QueueId;
import io.txbox.internal.database.Database;
import io.txbox.store.InboxClockTable;
import io.txbox.store.InboxQueueTable;
import io.txbox.store.StorableText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Records;
import org.jspecify.annotations.Nullable;

/**
 * Tells the time of a consumer group, by which its rows grow old: how far it has consumed on every
 * queue that it has ever had, as it was when the oldest message that may still be retried was
 * consumed for the first time. So what a group has not come to the end of does not grow old while
 * it waits. In doubt the clock stands still. Not thread-safe.
 *
 * <p>Between two attempts a message is in no queue that a broker tells of. Its delays add up to one
 * retry ladder, and it may wait in a queue for redeliveries after each. So the clock looks back by
 * a ladder, and further for waits too short to be sampled ({@link Pace}); not from now, but from
 * when the oldest message came into a queue for redeliveries that waits in it for longer. What it
 * saw during a long wait there was seen in the same way.
 */
final class PurgeClock {
  private final Database database;
  private final String group;
  private final @Nullable GroupProgress progress;
  private final InstantSource clock;
  private final InboxQueueTable queues;
  private final InboxClockTable samples;

  /**
   * Makes a clock.
   *
   * @param progress tells how far the group has consumed; the clock is the time of day if null
   */
  PurgeClock(
      Database database, String group, @Nullable GroupProgress progress, InstantSource clock) {
    this.database = database;
    this.group = StorableText.of(group);
    this.progress = progress;
    this.clock = clock;
    this.queues = database.schema().queue();
    this.samples = database.schema().clock();
  }

  /**
   * What the clock shows.
   *
   * @param time the time; empty while it stands still
   * @param heldBy why it stands still, or empty
   * @param starts whether it stands still only since it has not been watched for long enough
   * @param skew the brokers' clock minus ours, if known
   * @param behind what keeps it from showing a later time, if that is known
   */
  record Reading(
      Optional<Instant> time,
      Optional<String> heldBy,
      boolean starts,
      Optional<Duration> skew,
      Optional<String> behind) {
    static Reading of(Instant time, Optional<Duration> skew, Optional<String> behind) {
      return new Reading(Optional.of(time), Optional.empty(), false, skew, behind);
    }

    static Reading held(String why, Optional<Duration> skew) {
      return new Reading(Optional.empty(), Optional.of(why), false, skew, Optional.empty());
    }

    static Reading starts(Duration watched, Pace pace, Optional<Duration> skew) {
      String why =
          "the group has been watched for %s of the %s that the purge clock looks back; looks that are further apart than %s count for that long"
              .formatted(
                  RetentionCheck.readable(watched),
                  RetentionCheck.readable(pace.lookBack()),
                  RetentionCheck.readable(pace.longestGap()));
      return new Reading(Optional.empty(), Optional.of(why), true, skew, Optional.empty());
    }
  }

  /**
   * How often the clock takes a sample, and how far it looks back.
   *
   * <p>A wait for a redelivery of up to a step is taken for none, since brokers learn of what was
   * consumed only every few seconds; and up to two steps lie between two samples. So at each
   * redelivery three steps of a wait may be unseen, by which the clock looks back further.
   */
  private record Pace(Duration step, Duration lookBack) {
    private static final Duration LEAST_STEP = Duration.ofSeconds(10);

    static Pace of(BrokerTimes times) {
      Duration half = times.retries().dividedBy(2L * Math.max(1, times.redeliveries()));
      Duration step = half.compareTo(LEAST_STEP) > 0 ? half : LEAST_STEP;
      return new Pace(step, times.retries().plus(step.multipliedBy(3L * times.redeliveries())));
    }

    /** Time without samples counts up to here. */
    Duration longestGap() {
      return step.multipliedBy(2);
    }

    /** Returns the same step with the longest look back of all that watch the group. */
    Pace lookingBack(List<Sample> samples) {
      return samples.stream()
          .map(Sample::lookBack)
          .filter(other -> other.compareTo(lookBack) > 0)
          .max(Comparator.naturalOrder())
          .map(longer -> new Pace(step, longer))
          .orElse(this);
    }
  }

  /** How far the group had consumed, as far as the clock may go by it. */
  private record Sample(Instant at, Instant consumedThrough, Duration lookBack) {}

  /** What the clock shows, and what is to be noted for the next time. */
  private record Look(
      Reading reading,
      List<QueueProgress> told,
      Optional<Instant> sample,
      Pace pace,
      Optional<Instant> forgetBefore) {}

  /** Asks the brokers, remembers what they say, and tells the time. */
  Reading read() {
    return look(this::note);
  }

  /** Asks the brokers and tells the time; leaves no trace. */
  Reading peek() {
    return look((now, look, tx) -> {});
  }

  private interface Notes {
    void take(Instant now, Look look, DSLContext tx);
  }

  private Reading look(Notes notes) {
    if (progress == null) {
      return Reading.of(now(Optional.empty()), Optional.empty(), Optional.empty());
    }
    List<QueueProgress> told;
    BrokerTimes times;
    Instant asked = clock.instant();
    try {
      told = progress.queues();
      times = progress.times();
    } catch (ProgressUnknownException e) {
      return Reading.held(String.valueOf(e.getMessage()), Optional.empty());
    }
    Instant now = earlier(asked, now(times.skew()));
    return database.inTransaction(
        tx -> {
          Look look = look(now, told, times, tx);
          notes.take(now, look, tx);
          return look.reading();
        });
  }

  /**
   * Returns the time of day, by whichever clock is behind the others: rows must not go because one
   * of them is ahead.
   */
  private Instant now(Optional<Duration> brokerSkew) {
    Instant now = clock.instant();
    Instant ofDatabase = now.plus(database.skew(clock));
    return earlier(earlier(now, ofDatabase), now.plus(brokerSkew.orElse(Duration.ZERO)));
  }

  private Look look(Instant now, List<QueueProgress> told, BrokerTimes times, DSLContext tx) {
    Pace own = Pace.of(times);
    Optional<String> doubt = missing(told, tx).or(() -> unknown(told));
    if (doubt.isPresent()) {
      Reading held = Reading.held(doubt.get(), times.skew());
      return new Look(held, told, Optional.empty(), own, Optional.empty());
    }
    Instant consumed = earliest(now, told, false);
    Instant retried = earliest(now, told, true);
    boolean waits = !retried.plus(own.step()).isAfter(now);
    List<Sample> samples = samples(tx);
    Pace pace = own.lookingBack(samples);
    Past past = Past.of(samples, waits ? retried : now, pace);
    Optional<Instant> time =
        past.sample().map(sample -> earlier(sample.consumedThrough(), consumed));
    Optional<String> behind = behind(now.minus(own.step()), told);
    return new Look(
        time.map(it -> Reading.of(it, times.skew(), behind))
            .orElseGet(() -> Reading.starts(past.watched(), pace, times.skew())),
        told,
        waits ? time : Optional.of(consumed),
        own,
        past.sample().map(Sample::at));
  }

  private void note(Instant now, Look look, DSLContext tx) {
    look.told().forEach(queue -> remember(queue, now, tx));
    look.sample().ifPresent(through -> sample(now, through, look.pace(), tx));
    look.forgetBefore().ifPresent(time -> forgetSamples(time, tx));
  }

  private static Optional<String> behind(Instant by, List<QueueProgress> told) {
    return told.stream()
        .filter(queue -> queue.consumedThrough().orElseThrow().isBefore(by))
        .min(Comparator.comparing(queue -> queue.consumedThrough().orElseThrow()))
        .map(
            queue ->
                "queue "
                    + queue.queue()
                    + " of topic "
                    + queue.topic()
                    + " is consumed through "
                    + queue.consumedThrough().orElseThrow());
  }

  private static Instant earliest(Instant now, List<QueueProgress> told, boolean redeliveries) {
    return told.stream()
        .filter(queue -> queue.redeliveries() == redeliveries)
        .map(queue -> queue.consumedThrough().orElseThrow())
        .reduce(now, PurgeClock::earlier);
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** Forgets a queue that is gone for good; returns whether it was known. */
  boolean retire(String topic, QueueId queue) {
    return database.inTransaction(
            tx ->
                tx.deleteFrom(queues)
                    .where(queues.consumerGroup.eq(group))
                    .and(queues.topic.eq(StorableText.of(topic)))
                    .and(queues.broker.eq(StorableText.of(queue.broker())))
                    .and(queues.queue.eq(queue.number()))
                    .execute())
        == 1;
  }

  private Optional<String> missing(List<QueueProgress> told, DSLContext tx) {
    record Key(String topic, QueueId queue) {}
    Set<Key> there =
        told.stream()
            .map(queue -> new Key(StorableText.of(queue.topic()), queue.queue()))
            .collect(Collectors.toSet());
    List<Key> missing = new ArrayList<>();
    tx.select(queues.topic, queues.broker, queues.queue)
        .from(queues)
        .where(queues.consumerGroup.eq(group))
        .forEach(
            row -> {
              Key key = new Key(row.value1(), new QueueId(row.value2(), row.value3()));
              if (!there.contains(key)) {
                missing.add(key);
              }
            });
    return missing.stream()
        .findFirst()
        .map(
            key ->
                "queue "
                    + key.queue()
                    + " of topic "
                    + key.topic()
                    + " is missing: no broker speaks of it. If it is gone for good, retire it by"
                    + " Janitor.retireQueue(…)");
  }

  private static Optional<String> unknown(List<QueueProgress> told) {
    return told.stream()
        .filter(queue -> queue.consumedThrough().isEmpty())
        .findFirst()
        .map(
            queue ->
                "queue "
                    + queue.queue()
                    + " of topic "
                    + queue.topic()
                    + " has messages that are not consumed, and its broker does not say of when");
  }

  private void remember(QueueProgress told, Instant now, DSLContext tx) {
    Instant through = told.consumedThrough().orElse(null);
    int known =
        tx.update(queues)
            .set(queues.consumedThrough, through)
            .set(queues.seenAt, now)
            .where(queues.consumerGroup.eq(group))
            .and(queues.topic.eq(StorableText.of(told.topic())))
            .and(queues.broker.eq(StorableText.of(told.queue().broker())))
            .and(queues.queue.eq(told.queue().number()))
            .execute();
    if (known == 0) {
      tx.insertInto(queues)
          .set(queues.consumerGroup, group)
          .set(queues.topic, StorableText.of(told.topic()))
          .set(queues.broker, StorableText.of(told.queue().broker()))
          .set(queues.queue, told.queue().number())
          .set(queues.consumedThrough, through)
          .set(queues.seenAt, now)
          .execute();
    }
  }

  /** Notes how far the group has consumed, now and then. */
  private void sample(Instant now, Instant through, Pace pace, DSLContext tx) {
    Instant last =
        tx.select(samples.sampledAt)
            .from(samples)
            .where(samples.consumerGroup.eq(group))
            .and(samples.sampledAt.le(now)) // A clock that was ahead has left later ones.
            .orderBy(samples.sampledAt.desc())
            .limit(1)
            .fetchOne(samples.sampledAt);
    if (last == null || now.isAfter(last.plus(pace.step()))) {
      tx.insertInto(samples)
          .set(samples.consumerGroup, group)
          .set(samples.sampledAt, now)
          .set(samples.consumedThrough, through)
          .set(samples.lookBack, pace.lookBack())
          .execute();
    }
  }

  private void forgetSamples(Instant before, DSLContext tx) {
    tx.deleteFrom(samples)
        .where(samples.consumerGroup.eq(group))
        .and(samples.sampledAt.lt(before))
        .execute();
  }

  /** Returns all samples, the latest first. */
  private List<Sample> samples(DSLContext tx) {
    return tx.select(samples.sampledAt, samples.consumedThrough, samples.lookBack)
        .from(samples)
        .where(samples.consumerGroup.eq(group))
        .orderBy(samples.sampledAt.desc())
        .fetch(Records.mapping(Sample::new));
  }

  /**
   * What had been seen until a time.
   *
   * @param sample the one from when the group had been watched for as long as the clock looks back
   * @param watched for how long it was watched. Time without samples does not count.
   */
  private record Past(Optional<Sample> sample, Duration watched) {
    static Past of(List<Sample> samples, Instant until, Pace pace) {
      Duration watched = Duration.ZERO;
      Instant later = until;
      for (Sample sample : samples) {
        if (sample.at().isAfter(until)) {
          continue;
        }
        Duration gap = Duration.between(sample.at(), later);
        watched = watched.plus(gap.compareTo(pace.longestGap()) < 0 ? gap : pace.longestGap());
        if (watched.compareTo(pace.lookBack()) >= 0) {
          return new Past(Optional.of(sample), watched);
        }
        later = sample.at();
      }
      return new Past(Optional.empty(), watched);
    }
  }
}
