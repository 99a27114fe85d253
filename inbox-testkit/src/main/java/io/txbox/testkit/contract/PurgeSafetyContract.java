package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.DedupKey;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxScopeTable;
import io.txbox.store.InboxTable;
import io.txbox.store.RowState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PURGE-SAFE under random schedules, on the real database: senders that send again, deliveries that
 * fail, are delayed and come again, offsets that are set back, instances that stand still in the
 * middle of a transaction, janitors with different retentions; statement by statement, while weeks
 * pass.
 *
 * <p>No schedule may give a second effect, nor call a message late that has had none: none is older
 * here than brokers let it grow. No row may go that was not of before the purge horizon. {@code
 * -Dtxbox.purge-seed=…} repeats the choices of one schedule.
 */
public abstract class PurgeSafetyContract extends DatabaseContract {
  private static final Duration RETENTION = Duration.ofDays(4);
  private static final Duration MARGIN = Duration.ofDays(1);
  private static final int STEPS = 300;

  /** As seldom as a janitor may look, and so often that its clock looks back that far. */
  private static final Duration STEP = Duration.ofMinutes(36);

  private static final int WATCHES = 23;
  private static final int QUICK = 10;
  private static final int THOROUGH = 20;

  /** So many schedules at most to find a fault that was put in on purpose. */
  private static final int TO_FIND = 200;

  private static ExecutorService threads;

  /** For subclasses. */
  protected PurgeSafetyContract() {}

  @BeforeAll
  static void beginThreads() {
    threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "purge-schedule");
              thread.setDaemon(true);
              return thread;
            });
  }

  @AfterAll
  static void endThreads() {
    threads.shutdownNow();
  }

  /** A fault that a schedule is to find. */
  protected enum Fault {
    /** None: all must be well. */
    NONE,
    /** Copies are further apart than the margin. */
    MARGIN_TOO_SMALL,
    /** Rows go as soon as their horizon is announced. */
    PURGE_BEFORE_THE_WAIT,
    /** Somebody sets the horizon back. */
    HORIZON_THAT_FALLS,
    /** Instances go by the horizon that they read first. */
    STALE_COPY,
    /** Redeliveries are left out of the purge clock. */
    CLOCK_WITHOUT_REDELIVERIES
  }

  @Test
  void noScheduleHasASecondEffectOrMakesANewMessageLate() {
    run(QUICK);
  }

  @Test
  @Tag("slow")
  void noScheduleOfManyHasASecondEffectOrMakesANewMessageLate() {
    run(THOROUGH);
  }

  private void run(int schedules) {
    Long only = Long.getLong("txbox.purge-seed");
    long first = only == null ? new Random().nextLong() >>> 16 : only;
    Counts counts = new Counts();
    for (int i = 0; i < (only == null ? schedules : 1); i++) {
      long seed = first + i;
      assertThat(new Schedule(seed, Fault.NONE, counts).run()).as("seed %d", seed).isEmpty();
    }
    System.out.printf("%n%d schedules: %s%n", schedules, counts);
    assertThat(counts.of).as("%s", counts).containsKeys("processed", "duplicate", "late", "purged");
  }

  /** Runs schedules until one finds a fault that is put in on purpose; fails if none does. */
  protected void find(Fault fault) {
    for (int i = 0; i < TO_FIND; i++) {
      Optional<String> found = new Schedule(i, fault, new Counts()).run();
      if (found.isPresent()) {
        System.out.printf("%n%s: found by schedule %d: %s%n", fault, i + 1, found.get());
        return;
      }
    }
    assertThat(fault).as("was not found by %d schedules", TO_FIND).isNull();
  }

  private static final class Counts {
    private final Map<String, Integer> of = new ConcurrentHashMap<>();

    void add(String what, int more) {
      if (more > 0) {
        of.merge(what, more, Integer::sum);
      }
    }

    @Override
    public String toString() {
      return of.toString();
    }
  }

  /** A message of the sender's, of which there may be several copies. */
  private static final class Sent {
    private final String key;
    private final Instant at;
    private final AtomicInteger effects = new AtomicInteger();
    private final List<Copy> copies = new ArrayList<>();

    Sent(String key, Instant at) {
      this.key = key;
      this.at = at;
    }
  }

  private enum Place {
    /** Waits in its queue. */
    QUEUE,
    /** Has failed, and is delayed where no broker tells of it. */
    DELAYED,
    /** Waits in the queue for redeliveries. */
    RETRY_QUEUE,
    /** An instance has it. */
    DELIVERED,
    CONSUMED,
    /** No longer on the broker, or given up. */
    GONE
  }

  private static final class Copy {
    private final Sent sent;
    private final InboxMessage message;
    private Place place = Place.QUEUE;
    private Instant due = Instant.MIN;
    private Instant inRetryQueueSince = Instant.MIN;
    private Duration delays = Duration.ZERO;
    private int redeliveries;
    private boolean fromRetryQueue;

    Copy(Sent sent, InboxMessage message) {
      this.sent = sent;
      this.message = message;
    }

    Instant at() {
      return message.messageTime();
    }
  }

  /** One run of random choices. */
  private final class Schedule {
    private final Fault fault;
    private final Random random;
    private final Counts counts;
    private final String group;
    private final SimulatedTime time = new SimulatedTime();
    private final ToldProgress progress = new ToldProgress(time);
    private final Interleaving interleaving = new Interleaving(threads);
    private final List<Sent> messages = new ArrayList<>();
    private final List<Inbox> instances = new ArrayList<>();
    private final List<Janitor> janitors = new ArrayList<>();
    private final Map<Janitor, Boolean> passing = new ConcurrentHashMap<>();
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Sent> byKey = new HashMap<>();
    private final Map<String, Instant> seen = new HashMap<>();

    Schedule(long seed, Fault fault, Counts counts) {
      this.fault = fault;
      this.random = new Random(seed);
      this.counts = counts;
      this.group =
          PurgeSafetyContract.this.group + "-" + fault + "-" + seed + "-" + NEXT.incrementAndGet();
    }

    Optional<String> run() {
      DSLContext dsl = dsl(interleaving.over(database().dataSource()));
      InstantSource instanceTime = fault == Fault.STALE_COPY ? standingStill() : time;
      for (int i = 0; i < 2; i++) {
        instances.add(
            Inbox.builder(group, dsl, dialect())
                .clock(instanceTime)
                .claimWait(Duration.ofMillis(100))
                .listener(this::note)
                .handler(TOPIC, BY_KEYS, (message, tx) -> handle(message))
                .build());
      }
      instances.forEach(Inbox::check);
      janitors.add(janitor(dsl, RETENTION));
      janitors.add(janitor(dsl, RETENTION.plusDays(2)));
      for (int step = 0; step < STEPS && violations.isEmpty(); step++) {
        choose();
      }
      interleaving.finish();
      janitors.forEach(Janitor::close);
      return violations.stream().findFirst();
    }

    private InstantSource standingStill() {
      Instant still = time.instant();
      return () -> still;
    }

    private Janitor janitor(DSLContext dsl, Duration retention) {
      AtomicInteger hurry = new AtomicInteger();
      return Janitor.builder(dsl, dialect())
          .name(group)
          .clock(time)
          .nanoTime(
              () ->
                  fault == Fault.PURGE_BEFORE_THE_WAIT
                      ? time.nanos() + hurry.incrementAndGet() * 60_000_000_000L
                      : time.nanos())
          .passTime(Duration.ofHours(1))
          .group(group, Retention.of(retention).margin(MARGIN).acceptShortRetention(), progress)
          .listener(event -> counts.add("purged", 1))
          .build();
    }

    private synchronized void violated(String what) {
      violations.add(what);
    }

    /**
     * Runs in the transaction; what is rolled back does not count, so that effects are noted later.
     */
    private void handle(InboxMessage message) {
      if (message.property("fails").isPresent()) {
        throw new IllegalStateException("as it was told");
      }
    }

    private synchronized void note(InboxEvent event) {
      if (event instanceof InboxEvent.Late late) {
        counts.add("late", 1);
        Sent sent = sent(late.key());
        if (sent.effects.get() == 0) {
          violated("late, but never handled: " + late + ", at " + time.instant());
        }
      } else if (event instanceof InboxEvent.Processed processed) {
        counts.add("processed", 1);
        Sent sent = sent(processed.key());
        if (sent.effects.incrementAndGet() > 1) {
          violated(
              "a second effect: "
                  + processed.message()
                  + " of "
                  + processed.message().messageTime()
                  + ", at "
                  + time.instant());
        }
      } else if (event instanceof InboxEvent.Duplicate) {
        counts.add("duplicate", 1);
      }
    }

    private Sent sent(DedupKey key) {
      return Objects.requireNonNull(byKey.get(key.value()), key::value);
    }

    private void choose() {
      int choice = random.nextInt(100);
      if (choice < 40) {
        List<Interleaving.Actor> ready = interleaving.ready();
        if (!ready.isEmpty()) {
          go(ready.get(random.nextInt(ready.size())), 1 + random.nextInt(8));
        }
      } else if (choice < 47) {
        send();
      } else if (choice < 52) {
        sendAgain();
      } else if (choice < 66) {
        deliver();
      } else if (choice < 69) {
        rewind();
      } else if (choice < 86) {
        letAJanitorPass();
      } else if (choice < 87) {
        letAQuietWeekPass();
      } else {
        passTime();
        tellProgress();
        if (random.nextBoolean()) {
          letAJanitorPass().ifPresent(pass -> go(pass, 200));
        } else if (passing.isEmpty()) {
          watch(WATCHES, STEP, false);
        }
      }
      tellProgress();
      if (fault == Fault.HORIZON_THAT_FALLS && passing.isEmpty() && random.nextInt(10) == 0) {
        setHorizonBack();
      }
    }

    private synchronized void send() {
      Sent sent = new Sent("m" + messages.size(), time.instant());
      messages.add(sent);
      byKey.put(sent.key, sent);
      sent.copies.add(copy(sent));
    }

    private synchronized void sendAgain() {
      if (messages.isEmpty()) {
        return;
      }
      Sent sent = messages.get(random.nextInt(messages.size()));
      Duration most = fault == Fault.MARGIN_TOO_SMALL ? MARGIN.multipliedBy(15) : MARGIN;
      if (Duration.between(sent.at, time.instant()).compareTo(most) <= 0) {
        sent.copies.add(copy(sent));
      }
    }

    private Copy copy(Sent sent) {
      return new Copy(
          sent,
          InboxMessage.builder(TOPIC)
              .keys(sent.key)
              .bornAt(time.instant())
              .storedAt(time.instant())
              .build());
    }

    private synchronized void deliver() {
      List<Copy> there = copies(Place.QUEUE, Place.RETRY_QUEUE);
      if (there.isEmpty() || interleaving.running() > 4) {
        return;
      }
      Copy copy = there.get(random.nextInt(there.size()));
      boolean fails = random.nextInt(4) == 0;
      InboxMessage message =
          fails
              ? InboxMessage.builder(TOPIC)
                  .keys(copy.sent.key)
                  .messageId(copy.message.messageId())
                  .bornAt(copy.at())
                  .storedAt(copy.at())
                  .property("fails", "")
                  .build()
              : copy.message;
      copy.fromRetryQueue = copy.place == Place.RETRY_QUEUE;
      copy.place = Place.DELIVERED;
      Inbox inbox = instances.get(random.nextInt(instances.size()));
      interleaving.begin(
          () -> {
            boolean done = false;
            try {
              inbox.receive(message);
              done = true;
            } catch (RuntimeException e) {
              counts.add("failed", 1);
            }
            delivered(copy, done);
          });
    }

    private synchronized void delivered(Copy copy, boolean done) {
      if (done) {
        copy.place = Place.CONSUMED;
        return;
      }
      Duration delay = Duration.ofMinutes(1 + random.nextInt(120));
      copy.redeliveries++;
      if (copy.redeliveries > ToldProgress.REDELIVERIES
          || copy.delays.plus(delay).compareTo(ToldProgress.LADDER) > 0) {
        copy.place = Place.GONE; // A dead letter.
        return;
      }
      copy.delays = copy.delays.plus(delay);
      copy.place = Place.DELAYED;
      copy.due = time.instant().plus(delay);
    }

    /** To the beginning: a quiet broker keeps messages for far longer than it was told. */
    private synchronized void rewind() {
      for (Copy copy : copies(Place.CONSUMED)) {
        copy.place = Place.QUEUE;
        copy.delays = Duration.ZERO;
        copy.redeliveries = 0;
      }
      counts.add("rewinds", 1);
    }

    private void go(Interleaving.Actor actor, int statements) {
      for (int i = 0; i < statements && interleaving.ready().contains(actor); i++) {
        interleaving.step(actor);
      }
    }

    private Optional<Interleaving.Actor> letAJanitorPass() {
      Janitor janitor = janitors.get(random.nextInt(janitors.size()));
      if (passing.putIfAbsent(janitor, true) != null) {
        return Optional.empty();
      }
      return Optional.of(
          interleaving.begin(
              () -> {
                try {
                  pass(janitor);
                } finally {
                  passing.remove(janitor);
                }
              }));
    }

    /**
     * Lets the group consume all that waits, or all but what has failed, and janitors purge what
     * has grown old after that.
     */
    private void letAQuietWeekPass() {
      interleaving.finish();
      Place[] consumed =
          random.nextBoolean()
              ? new Place[] {Place.QUEUE}
              : new Place[] {Place.QUEUE, Place.RETRY_QUEUE, Place.DELAYED};
      for (List<Copy> there = copies(consumed); !there.isEmpty(); there = copies(consumed)) {
        for (Copy copy : there) {
          if (random.nextInt(8) == 0) {
            delivered(copy, false);
          } else {
            consume(copy);
          }
        }
      }
      watch(WATCHES, STEP, false);
      passTime(RETENTION.plusDays(random.nextInt(4)));
      watch(WATCHES, STEP, true);
      watch(5, Duration.ofSeconds(6), true);
      counts.add("quiet weeks", 1);
    }

    /**
     * Lets some come again that were consumed, as if offsets had been set back, and a new one, for
     * which an instance looks at the horizon.
     */
    private void consumeSome() {
      if (random.nextBoolean()) {
        send();
        copies(Place.QUEUE).forEach(this::consume);
      }
      List<Copy> consumed = copies(Place.CONSUMED);
      for (int i = 0; i < 3 && !consumed.isEmpty(); i++) {
        consume(consumed.get(random.nextInt(consumed.size())));
      }
    }

    private void consume(Copy copy) {
      try {
        instances.get(random.nextInt(instances.size())).receive(copy.message);
        delivered(copy, true);
      } catch (RuntimeException e) {
        counts.add("failed", 1);
      }
    }

    /** Lets a janitor work for as long as its clock looks back, with nothing in its way. */
    private void watch(int passes, Duration step, boolean withCopies) {
      for (int i = 0; i < passes; i++) {
        passTime(step);
        tellProgress();
        boolean busy = withCopies && random.nextInt(3) == 0;
        if (busy) {
          consumeSome();
          pass(janitors.get(random.nextInt(janitors.size())));
        }
        pass(janitors.get(random.nextInt(janitors.size())));
        if (busy) {
          consumeSome();
        }
      }
    }

    private void pass(Janitor janitor) {
      try {
        boolean unused = janitor.pass();
      } catch (RuntimeException e) {
        counts.add("passes failed by " + e.getClass().getSimpleName(), 1);
      }
      checkWhatStays();
    }

    /** A row may be missing only if it was of before the purge horizon, and was not parked. */
    private synchronized void checkWhatStays() {
      InboxTable inbox = InboxSchema.ofConnection().inbox();
      InboxScopeTable scope = InboxSchema.ofConnection().scope();
      Map<String, Instant> there = new HashMap<>();
      PurgeSafetyContract.this
          .dsl()
          .select(inbox.dedupKey, inbox.processedAt, inbox.state)
          .from(inbox)
          .join(scope)
          .on(scope.id.eq(inbox.scopeId))
          .where(scope.consumerGroup.eq(group))
          .forEach(
              row ->
                  there.put(
                      row.value1(),
                      row.value3() == RowState.PARKED.code() ? Instant.MAX : row.value2()));
      Instant purgedBefore =
          PurgeSafetyContract.this
              .dsl()
              .select(scope.purgeHorizon)
              .from(scope)
              .where(scope.consumerGroup.eq(group))
              .fetchOptional(scope.purgeHorizon)
              .orElse(Instant.MIN);
      seen.forEach(
          (key, until) -> {
            if (!there.containsKey(key) && !until.isBefore(purgedBefore)) {
              violated("the row of " + key + " went, though kept until " + until);
            }
          });
      seen.clear();
      seen.putAll(there);
    }

    private void passTime() {
      Duration[] steps = {
        Duration.ofSeconds(1),
        Duration.ofSeconds(4),
        Duration.ofSeconds(11),
        Duration.ofMinutes(30),
        Duration.ofHours(3),
        Duration.ofHours(9),
        Duration.ofDays(1),
        Duration.ofDays(3),
      };
      passTime(steps[random.nextInt(steps.length)]);
    }

    private synchronized void passTime(Duration step) {
      time.advance(step);
      for (Copy copy : copies(Place.DELAYED)) {
        if (!copy.due.isAfter(time.instant())) {
          copy.place = Place.RETRY_QUEUE;
          copy.inRetryQueueSince = copy.due;
        }
      }
    }

    private synchronized void tellProgress() {
      Optional<Instant> waits =
          allCopies().stream()
              .filter(
                  copy ->
                      copy.place == Place.QUEUE
                          || (copy.place == Place.DELIVERED && !copy.fromRetryQueue))
              .map(Copy::at)
              .min(Comparator.naturalOrder());
      waits.ifPresentOrElse(since -> progress.lag(0, since), () -> progress.noLag(0));
      if (fault != Fault.CLOCK_WITHOUT_REDELIVERIES) {
        progress.retryLag(
            allCopies().stream()
                .filter(
                    copy ->
                        copy.place == Place.RETRY_QUEUE
                            || (copy.place == Place.DELIVERED && copy.fromRetryQueue))
                .map(copy -> copy.inRetryQueueSince)
                .min(Comparator.naturalOrder())
                .orElse(null));
      }
    }

    private void setHorizonBack() {
      InboxScopeTable scope = InboxSchema.ofConnection().scope();
      Instant back = time.instant().minus(RETENTION.multipliedBy(3));
      PurgeSafetyContract.this
          .dsl()
          .update(scope)
          .set(scope.horizon, back)
          .where(scope.consumerGroup.eq(group))
          .and(scope.horizon.gt(back)) // A clock that stands still is behind that at times.
          .execute();
    }

    private synchronized List<Copy> allCopies() {
      return messages.stream().flatMap(sent -> sent.copies.stream()).toList();
    }

    private List<Copy> copies(Place... places) {
      List<Place> wanted = List.of(places);
      return allCopies().stream().filter(copy -> wanted.contains(copy.place)).toList();
    }
  }

  private static final AtomicInteger NEXT = new AtomicInteger();
}
