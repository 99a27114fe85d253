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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Record2;
import org.jspecify.annotations.Nullable;

/**
 * Tells the time of a consumer group, by which its rows grow old: how far it has consumed on every
 * queue that it has ever had, as it was when the oldest message that may still be retried was
 * consumed for the first time. So what a group has not come to the end of does not grow old while
 * it waits. In doubt the clock stands still. Not thread-safe.
 *
 * <p>Between two attempts a message is in no queue that a broker tells of. Its delays add up to one
 * retry ladder, and it may wait in a queue for redeliveries after each. So the clock looks back by
 * a ladder, and half of one for waits too short to be sampled; not from now, but from when the
 * oldest message came into a queue for redeliveries that waits in it. What it saw during a long
 * wait there was seen in the same way.
 */
final class PurgeClock {
  /** So many samples cover the retry ladder: twice as many as it has rungs. */
  private static final int SAMPLES = 32;

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
   */
  record Reading(
      Optional<Instant> time, Optional<String> heldBy, boolean starts, Optional<Duration> skew) {
    static Reading of(Instant time, Optional<Duration> skew) {
      return new Reading(Optional.of(time), Optional.empty(), false, skew);
    }

    static Reading held(String why, Optional<Duration> skew) {
      return new Reading(Optional.empty(), Optional.of(why), false, skew);
    }

    static Reading starts(Duration ladder, Optional<Duration> skew) {
      String why = "how far the group has consumed has not been watched for " + ladder + " yet";
      return new Reading(Optional.empty(), Optional.of(why), true, skew);
    }
  }

  /** What the clock shows, and what is to be noted for the next time. */
  private record Look(
      Reading reading,
      List<QueueProgress> told,
      Optional<Instant> sample,
      Duration step,
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
    Instant now = clock.instant();
    if (progress == null) {
      return Reading.of(now, Optional.empty());
    }
    List<QueueProgress> told;
    BrokerTimes times;
    try {
      told = progress.queues();
      times = progress.times();
    } catch (ProgressUnknownException e) {
      return Reading.held(String.valueOf(e.getMessage()), Optional.empty());
    }
    return database.inTransaction(
        tx -> {
          Look look = look(now, told, times, tx);
          notes.take(now, look, tx);
          return look.reading();
        });
  }

  private Look look(Instant now, List<QueueProgress> told, BrokerTimes times, DSLContext tx) {
    Duration step = times.retries().dividedBy(SAMPLES);
    Optional<String> doubt = missing(told, tx).or(() -> unknown(told));
    if (doubt.isPresent()) {
      Reading held = Reading.held(doubt.get(), times.skew());
      return new Look(held, told, Optional.empty(), step, Optional.empty());
    }
    Instant consumed = earliest(now, told, false);
    Instant retried = earliest(now, told, true);
    Duration back = times.retries().plus(times.retries().dividedBy(2));
    Optional<Record2<Instant, Instant>> first = consumed(back, retried, step, tx);
    Optional<Instant> time = first.map(sample -> earlier(sample.value2(), consumed));
    return new Look(
        time.map(it -> Reading.of(it, times.skew()))
            .orElseGet(() -> Reading.starts(back, times.skew())),
        told,
        retried.equals(now) ? Optional.of(consumed) : time,
        step,
        first.map(Record2::value1));
  }

  private void note(Instant now, Look look, DSLContext tx) {
    look.told().forEach(queue -> remember(queue, now, tx));
    look.sample().ifPresent(through -> sample(now, through, look.step(), tx));
    look.forgetBefore().ifPresent(time -> forgetSamples(time, tx));
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
  private void sample(Instant now, Instant through, Duration step, DSLContext tx) {
    Instant last =
        tx.select(samples.sampledAt)
            .from(samples)
            .where(samples.consumerGroup.eq(group))
            .orderBy(samples.sampledAt.desc())
            .limit(1)
            .fetchOne(samples.sampledAt);
    if (last == null || now.isAfter(last.plus(step))) {
      tx.insertInto(samples)
          .set(samples.consumerGroup, group)
          .set(samples.sampledAt, now)
          .set(samples.consumedThrough, through)
          .execute();
    }
  }

  private void forgetSamples(Instant before, DSLContext tx) {
    tx.deleteFrom(samples)
        .where(samples.consumerGroup.eq(group))
        .and(samples.sampledAt.lt(before))
        .execute();
  }

  /**
   * Returns when the group had been watched for so long until a time, and how far it had consumed
   * then. Time without samples does not count.
   */
  private Optional<Record2<Instant, Instant>> consumed(
      Duration watched, Instant until, Duration step, DSLContext tx) {
    Duration most = step.multipliedBy(2);
    Duration left = watched;
    Instant later = until;
    for (Record2<Instant, Instant> sample : samplesBefore(until, tx)) {
      Duration gap = Duration.between(sample.value1(), later);
      left = left.minus(gap.compareTo(most) < 0 ? gap : most);
      if (left.isNegative() || left.isZero()) {
        return Optional.of(sample);
      }
      later = sample.value1();
    }
    return Optional.empty();
  }

  private List<Record2<Instant, Instant>> samplesBefore(Instant time, DSLContext tx) {
    return tx.select(samples.sampledAt, samples.consumedThrough)
        .from(samples)
        .where(samples.consumerGroup.eq(group))
        .and(samples.sampledAt.le(time))
        .orderBy(samples.sampledAt.desc())
        .fetch();
  }
}
