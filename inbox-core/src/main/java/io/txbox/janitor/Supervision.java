package io.txbox.janitor;

import io.txbox.janitor.PurgeClock.Reading;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches a janitor: tells its listeners and the log what it does, and above all when it does not
 * get on. Thread-safe.
 */
final class Supervision {
  private static final Logger log = LoggerFactory.getLogger(Janitor.class);

  /** So long a clock may stand still, and a row that may go may stay. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  /** So many intervals may pass without a pass. */
  private static final int MISSED = 6;

  private static final Duration LEAST_SILENCE = Duration.ofMinutes(5);
  private static final Duration FAR = Duration.ofMinutes(1);
  private static final Duration REMINDER = Duration.ofMinutes(10);

  private final String name;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Duration silence;
  private final List<JanitorListener> listeners;
  private final long madeAt;
  private final Set<String> skewed = new HashSet<>();
  private final Map<String, Long> heldSince = new HashMap<>();
  private List<JanitorHealth.Group> groups = List.of();
  private Optional<Instant> lastPass = Optional.empty();
  private boolean standby;
  private long passedAt;
  private long rowsPurged;
  private long remindedAt;
  private boolean reminded;

  Supervision(
      String name,
      InstantSource clock,
      LongSupplier nanoTime,
      Duration interval,
      List<JanitorListener> listeners) {
    this.name = name;
    this.clock = clock;
    this.nanoTime = nanoTime;
    Duration missed = interval.multipliedBy(MISSED);
    this.silence = missed.compareTo(LEAST_SILENCE) > 0 ? missed : LEAST_SILENCE;
    this.listeners = List.copyOf(listeners);
    this.madeAt = nanoTime.getAsLong();
    this.passedAt = madeAt;
  }

  synchronized void purged(String group, GroupPurge.Purged purged) {
    if (purged.rows() > 0) {
      rowsPurged += purged.rows();
      log.info(
          "{} - Purged {} rows of {} in {}{}",
          name,
          purged.rows(),
          purged.scope(),
          purged.elapsed(),
          purged.moreWait() ? "; more may go" : "");
      tell(
          new JanitorEvent.Purged(
              group, purged.scope(), purged.rows(), purged.elapsed(), purged.moreWait()));
    }
  }

  /**
   * Takes note of a pass that came to its end.
   *
   * @param standby whether another instance had the lease
   */
  void passed(
      Map<GroupPurge, Reading> readings,
      boolean standby,
      Collection<GroupPurge> all,
      Duration databaseSkew) {
    List<JanitorHealth.Group> found =
        all.stream()
            .map(group -> group.look(readings.get(group), Optional.of(databaseSkew)))
            .toList();
    synchronized (this) {
      groups = found;
      this.standby = standby;
      passedAt = nanoTime.getAsLong();
      lastPass = Optional.of(clock.instant());
      readings.forEach((group, reading) -> watchClock(group.group(), reading));
      watchSkew("the database", Optional.of(databaseSkew));
      found.forEach(
          group -> watchSkew("the brokers of " + group.consumerGroup(), group.brokerSkew()));
      remind();
    }
  }

  private void watchClock(String group, Reading reading) {
    Optional<String> reason = reading.heldBy().filter(any -> !reading.starts());
    if (reason.isPresent()) {
      if (heldSince.putIfAbsent(group, nanoTime.getAsLong()) == null) {
        // At a start it does so for a moment; if it lasts, it is a problem, and warned of.
        log.info("{} - The purge clock of {} stands still: {}", name, group, reason.get());
        tell(new JanitorEvent.ClockHeld(group, reason.get()));
      }
      return;
    }
    Long since = heldSince.remove(group);
    if (since != null) {
      Duration after = Duration.ofNanos(nanoTime.getAsLong() - since);
      log.info("{} - The purge clock of {} runs again after {}", name, group, after);
      tell(new JanitorEvent.ClockRuns(group, after));
    }
  }

  /**
   * Clocks decide nothing of what goes, unless that is by the time of day; yet people read them.
   */
  private void watchSkew(String of, Optional<Duration> skew) {
    boolean far = skew.filter(any -> any.abs().compareTo(FAR) > 0).isPresent();
    if (far ? skewed.add(of) : skewed.remove(of)) {
      log.warn(
          "{} - The clock of {} is {} ahead of this instance's",
          name,
          of,
          skew.map(Duration::toString).orElse("no longer known to be"));
    }
  }

  private void remind() {
    List<String> problems = problems();
    long now = nanoTime.getAsLong();
    if (!problems.isEmpty() && (!reminded || now - remindedAt > REMINDER.toNanos())) {
      log.warn("{} - The inbox is not purged as it should be: {}", name, problems);
      remindedAt = now;
    }
    reminded = !problems.isEmpty();
  }

  synchronized JanitorHealth health() {
    return new JanitorHealth(problems(), rowsPurged, lastPass, standby, groups);
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    long now = nanoTime.getAsLong();
    Duration quiet = Duration.ofNanos(now - passedAt);
    if (quiet.compareTo(silence) > 0) {
      problems.add(
          "no pass has come to its end for " + quiet + (lastPass.isEmpty() ? ", nor ever" : ""));
    }
    for (JanitorHealth.Group group : groups) {
      Long since = heldSince.get(group.consumerGroup());
      if (since != null && now - since > PATIENCE.toNanos()) {
        problems.add(
            "the purge clock of "
                + group.consumerGroup()
                + " has stood still for "
                + Duration.ofNanos(now - since)
                + ": "
                + group.heldBy().orElse("no reason is known"));
      }
      for (JanitorHealth.Scope scope : group.scopes()) {
        scope
            .oldestExpired()
            .filter(age -> age.compareTo(PATIENCE) > 0)
            .ifPresent(
                age ->
                    problems.add(
                        "a row of "
                            + group.consumerGroup()
                            + ", scope "
                            + scope.scope()
                            + ", could have gone "
                            + age
                            + " ago"));
      }
    }
    return problems;
  }

  private void tell(JanitorEvent event) {
    for (JanitorListener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException e) { // The edge to the user's code.
        log.warn("{} - The listener {} failed on {}", name, listener, event, e);
      }
    }
  }
}
