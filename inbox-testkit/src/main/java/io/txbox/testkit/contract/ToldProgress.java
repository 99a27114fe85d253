package io.txbox.testkit.contract;

import io.txbox.QueueId;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.ProgressUnknownException;
import io.txbox.janitor.QueueProgress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Brokers of which a test says how far a group has consumed. Thread-safe. */
final class ToldProgress implements GroupProgress {
  static final Duration STORAGE = Duration.ofDays(3);
  static final Duration LADDER = Duration.ofHours(5);
  static final int REDELIVERIES = 8;

  private final InstantSource clock;
  private final Set<Integer> queues = new TreeSet<>();
  private final Map<Integer, Optional<Instant>> lags = new TreeMap<>();
  private @Nullable Instant retryLag;
  private Optional<Duration> skew = Optional.empty();
  private boolean silent;

  ToldProgress(InstantSource clock) {
    this.clock = clock;
    noLag(0);
  }

  synchronized ToldProgress noLag(int queue) {
    lags.remove(queue);
    queues.add(queue);
    return this;
  }

  /** Says that what was stored from this time on waits in the queue. */
  synchronized ToldProgress lag(int queue, Instant since) {
    queues.add(queue);
    lags.put(queue, Optional.of(since));
    return this;
  }

  /** Says that something waits in the queue, but not since when. */
  synchronized ToldProgress lagOfUnknownTime(int queue) {
    queues.add(queue);
    lags.put(queue, Optional.empty());
    return this;
  }

  synchronized ToldProgress gone(int queue) {
    queues.remove(queue);
    lags.remove(queue);
    return this;
  }

  /** Says since when the oldest redelivery waits; null if none does. */
  synchronized ToldProgress retryLag(@Nullable Instant since) {
    retryLag = since;
    return this;
  }

  /** Says how far the clocks of the brokers are ahead. */
  synchronized ToldProgress skew(Duration ahead) {
    skew = Optional.of(ahead);
    return this;
  }

  synchronized ToldProgress silent(boolean silent) {
    this.silent = silent;
    return this;
  }

  @Override
  public synchronized List<QueueProgress> queues() throws ProgressUnknownException {
    if (silent) {
      throw new ProgressUnknownException("broker b does not answer");
    }
    Instant now = clock.instant();
    List<QueueProgress> told = new ArrayList<>();
    for (int queue : queues) {
      told.add(
          new QueueProgress("T", queue(queue), false, lags.getOrDefault(queue, Optional.of(now))));
    }
    told.add(
        new QueueProgress(
            "%RETRY%T", queue(0), true, Optional.of(retryLag == null ? now : retryLag)));
    return told;
  }

  static QueueId queue(int number) {
    return new QueueId("b", number);
  }

  @Override
  public synchronized BrokerTimes times() throws ProgressUnknownException {
    if (silent) {
      throw new ProgressUnknownException("broker b does not answer");
    }
    return new BrokerTimes(STORAGE, LADDER, REDELIVERIES, Duration.ZERO, skew);
  }

  @Override
  public void close() {}
}
