package io.txbox.janitor;

import static io.txbox.janitor.RetentionCheck.readable;

import io.txbox.internal.database.SqlErrors;
import io.txbox.janitor.PurgeClock.Reading;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
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

  /** What this instance saw of a clock so long ago says nothing of it, if others purge since. */
  private static final Duration STALE = Duration.ofHours(3);

  /** In this time a clock must get on by half of it. */
  private static final Duration STRETCH = Duration.ofDays(1);

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
  private final Map<String, Watched> watched = new HashMap<>();
  private final Map<String, String> failures = new HashMap<>();
  private final Map<String, String> shortfalls = new HashMap<>();
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
          "{} - Purged {} rows of {}, scope {}, in {}{}",
          name,
          purged.rows(),
          group,
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
   * @param failures of groups that it failed for
   * @param standby whether another instance had the lease
   */
  void passed(
      Map<GroupPurge, Reading> readings,
      Map<GroupPurge, RuntimeException> failures,
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
      if (failures.isEmpty()) {
        lastPass = Optional.of(clock.instant());
      }
      readings.forEach((group, reading) -> watchClock(group.group(), reading));
      if (!standby) {
        this.failures.clear();
        failures.forEach((group, e) -> this.failures.put(group.group(), SqlErrors.words(e)));
      }
      all.forEach(group -> group.shortfall().ifPresent(why -> shortfalls.put(group.group(), why)));
      watchSkew("the database", Optional.of(databaseSkew));
      found.forEach(
          group -> watchSkew("the brokers of " + group.consumerGroup(), group.brokerSkew()));
      remind();
    }
  }

  private void watchClock(String group, Reading reading) {
    long now = nanoTime.getAsLong();
    Watched of = watched.get(group);
    if (of == null || now - of.readAt > STALE.toNanos()) {
      of = new Watched(); // What others have seen since is not known.
      watched.put(group, of);
    }
    of.note(reading, now);
    Optional<String> reason = reading.heldBy().filter(any -> !reading.starts());
    if (reason.isPresent()) {
      if (of.heldSince == null) {
        // At a start it does so for a moment; if it lasts, it is a problem, and warned of.
        of.heldSince = now;
        log.info("{} - The purge clock of {} stands still: {}", name, group, reason.get());
        tell(new JanitorEvent.ClockHeld(group, reason.get()));
      }
    } else if (of.heldSince != null) {
      Duration after = Duration.ofNanos(now - of.heldSince);
      of.heldSince = null;
      if (reading.starts()) {
        log.info(
            "{} - The purge clock of {} is known again after {}, but {}",
            name,
            group,
            after,
            reading.heldBy().orElseThrow());
      } else {
        log.info("{} - The purge clock of {} runs again after {}", name, group, after);
      }
      tell(new JanitorEvent.ClockRuns(group, after));
    }
  }

  /** What this instance has seen of a group's clock, pass by pass. */
  private static final class Watched {
    private static final long EVERY = Duration.ofHours(1).toNanos();

    private final Deque<Mark> marks = new ArrayDeque<>();
    private long readAt;
    private @Nullable Long heldSince;
    private @Nullable Instant latest;
    private Optional<String> behind = Optional.empty();

    /** What the clock had shown at some time. */
    private record Mark(long at, @Nullable Instant latest) {}

    void note(Reading reading, long now) {
      readAt = now;
      behind = reading.heldBy().or(reading::behind);
      reading
          .time()
          .filter(time -> latest == null || time.isAfter(latest))
          .ifPresent(time -> latest = time);
      if (marks.isEmpty() || now - marks.getLast().at > EVERY) {
        marks.addLast(new Mark(now, latest));
      }
      while (marks.size() > 1 && now - marks.getFirst().at > STRETCH.toNanos() + EVERY) {
        marks.removeFirst();
      }
    }

    /** Says how the clock has not got on, if so. */
    Optional<String> isSlow() {
      Mark mark = marks.getFirst();
      Duration elapsed = Duration.ofNanos(readAt - mark.at);
      if (elapsed.compareTo(STRETCH) < 0) {
        return Optional.empty();
      }
      if (latest == null) {
        return Optional.of("has shown no time in " + readable(elapsed) + because());
      }
      if (mark.latest == null) {
        return Optional.empty();
      }
      Duration advanced = Duration.between(mark.latest, latest);
      return advanced.compareTo(elapsed.dividedBy(2)) < 0
          ? Optional.of(
              "has got on by " + readable(advanced) + " in " + readable(elapsed) + because())
          : Optional.empty();
    }

    private String because() {
      return behind.map(why -> ": " + why).orElse("");
    }
  }

  /** Of clocks that differ, the one that is behind counts; the others are to be set right. */
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
          "no pass has come to its end for "
              + readable(quiet)
              + (lastPass.isEmpty() ? ", nor ever" : ""));
    }
    for (JanitorHealth.Group group : groups) {
      String name = group.consumerGroup();
      Watched of = watched.get(name);
      if (of != null && now - of.readAt <= STALE.toNanos()) {
        if (of.heldSince != null && now - of.heldSince > PATIENCE.toNanos()) {
          problems.add(
              "the purge clock of "
                  + name
                  + " has stood still for "
                  + readable(Duration.ofNanos(now - of.heldSince))
                  + ": "
                  + group.heldBy().orElse("no reason is known"));
        } else {
          of.isSlow().ifPresent(how -> problems.add("the purge clock of " + name + " " + how));
        }
      }
      if (failures.containsKey(name)) {
        problems.add("the last pass failed for " + name + ": " + failures.get(name));
      }
      if (shortfalls.containsKey(name)) {
        problems.add(shortfalls.get(name));
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
                            + readable(age)
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
