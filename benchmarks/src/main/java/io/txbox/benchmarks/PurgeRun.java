package io.txbox.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.TestDatabase;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures the purge of a large inbox: consumption alone, the same while a janitor purges, and the
 * purge alone, in turns, on one group and scope. All that is consumed is new. While the janitor
 * purges, rows grow old as fast as messages came without it: that is what it has to keep up with.
 */
final class PurgeRun {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration ALONE = Duration.ofSeconds(10);
  private static final Duration ANNOUNCED = Duration.ofSeconds(11);
  private static final Duration VACUUM = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final long ROWS_A_LINE = 5_000_000;

  private final TestBroker broker;
  private final Settings settings;
  private final PurgeSettings purge;
  private final PrintWriter out;
  private final Bed bed;
  private final Rows rows;
  private final String topic;
  private final String group;
  private final Instant begun = Instant.now();
  private final Instant horizon = begun.minus(Purger.RETENTION.duration());
  private final List<PurgeSample> samples = new ArrayList<>();

  /** So that half of the rows that may go may do so from the first. */
  private final EventTime time = new EventTime(begun.minus(Rows.EXPIRED.dividedBy(2)), begun);

  private double messagesPerSecond;
  private int consumed;

  PurgeRun(
      TestBroker broker,
      TestDatabase database,
      Settings settings,
      PurgeSettings purge,
      PrintWriter out) {
    this.broker = broker;
    this.settings = settings;
    this.purge = purge;
    this.out = out;
    bed = Bed.of(broker, database, settings);
    rows = new Rows(settings.database(), bed.dsl(), purge.keyLength());
    topic = bed.topics().with(settings.messages());
    group = broker.newGroup("bench");
  }

  /**
   * Runs it.
   *
   * @return the samples that count
   * @throws WrongEffectsException if a row is gone that had to stay, or the reverse
   */
  PurgeReport run() throws Exception {
    try (Purger purger = new Purger(bed.dsl(), settings.database().store(), group, time)) {
      load(purger);
      Rows.Size before = rows.size();
      long deadlocks = deadlocks();
      for (int round = 1 - settings.warmUp(); round <= settings.rounds(); round++) {
        for (PurgeArm arm : PurgeArm.inOrderOf(round + settings.warmUp() - 1)) {
          note(sample(round, arm, purger));
        }
      }
      Purger.Purged rest = rest(purger);
      out.printf("The rest             %,11.0f rows/s, %,d rows%n", rest.perSecond(), rest.rows());
      long caused = deadlocks() - deadlocks;
      check();
      long dead = dead();
      out.printf("%,d deleted rows not yet cleaned away by the server%n", dead);
      Duration waited = awaitVacuum();
      return new PurgeReport(samples, rest, caused, before, rows.size(), dead, dead(), waited);
    }
  }

  /** Fills the inbox, while the janitor's horizon grows ripe. */
  private void load(Purger purger) throws InterruptedException {
    short scope = scope();
    time.run(0);
    purger.pass();
    long started = System.nanoTime();
    long[] said = {0};
    rows.load(
        scope,
        horizon,
        purge.purged(),
        purge.rows() - purge.purged(),
        written -> {
          synchronized (said) {
            if (written - said[0] >= ROWS_A_LINE) {
              said[0] = written;
              out.printf("%,d rows after %d s%n", written, seconds(started));
            }
          }
        });
    rows.tidy();
    out.printf(
        "%,d rows, of which %,d may go, keys of %d characters: filled in %d s%n",
        purge.rows(), purge.purged(), purge.keyLength(), seconds(started));
    await(ANNOUNCED, started);
    time.hold();
  }

  /** Purges what is left. */
  private Purger.Purged rest(Purger purger) throws InterruptedException {
    time.toEnd();
    time.run(0);
    purger.pass();
    await(ANNOUNCED, System.nanoTime());
    return purger.purgeAll();
  }

  /** Says how fast event time has to go by, for as many rows to grow old as messages came. */
  private double speed() {
    return messagesPerSecond * Rows.EXPIRED.toSeconds() / purge.purged();
  }

  private static long seconds(long since) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
  }

  private static void await(Duration time, long since) throws InterruptedException {
    while (System.nanoTime() - since < time.toNanos()) {
      await();
    }
  }

  private static void await() throws InterruptedException {
    new CountDownLatch(1).await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Makes the scope that the consumers will find. */
  private short scope() {
    bed.dsl()
        .execute(
            "insert into inbox_scope (created_at, consumer_group, scope) values (?, ?, ?)",
            begun.toEpochMilli(),
            bytes(group),
            bytes(topic));
    return (short) rows.number("select max(id) from inbox_scope");
  }

  private Object bytes(String text) {
    return settings.database() == Database.POSTGRES ? text : text.getBytes(UTF_8);
  }

  private PurgeSample sample(int round, PurgeArm arm, Purger purger) throws Exception {
    Duration elapsed = Duration.ZERO;
    if (arm.consumes()) {
      elapsed = consume(arm, purger);
    } else {
      purger.start(speed());
      await(ALONE, System.nanoTime());
    }
    Purger.Purged purged = purger.stop();
    return new PurgeSample(round, arm, arm.consumes() ? settings.messages() : 0, elapsed, purged);
  }

  private Duration consume(PurgeArm arm, Purger purger) throws Exception {
    bed.tables().resetEffects(Cost.STATEMENTS, settings.messages());
    if (consumed > 0) {
      broker.resetOffsets(group, topic, 0);
    }
    int time = consumed++;
    Meter meter =
        new Meter(
            settings.messages(),
            PATIENCE,
            () -> {
              if (arm.purges()) {
                purger.start(speed());
              }
            });
    InboxConsumer consumer =
        bed.consumers().besideAJanitor(topic, group, key -> renamed(time + key), meter);
    Duration elapsed;
    try {
      elapsed = meter.await();
    } finally {
      consumer.close();
    }
    bed.tables().checkEffects(new Case(Arm.INBOX, Cost.STATEMENTS), settings.messages());
    return elapsed;
  }

  private String renamed(String key) {
    String random = UUID.nameUUIDFromBytes(key.getBytes(UTF_8)).toString();
    return random.repeat(purge.keyLength() / random.length() + 1).substring(0, purge.keyLength());
  }

  private void note(PurgeSample sample) {
    out.printf(
        "%-9s %-22s %,8.0f msg/s %,9.0f rows/s%s%n",
        sample.round() > 0 ? "round %d/%d".formatted(sample.round(), settings.rounds()) : "warm-up",
        sample.arm().label(),
        sample.messagesPerSecond(),
        sample.purged().perSecond(),
        sample.purged().ranOut() ? ", all of them gone" : "");
    if (sample.round() > 0) {
      samples.add(sample);
    }
    if (sample.arm() == PurgeArm.CONSUMPTION) {
      messagesPerSecond = sample.messagesPerSecond();
    }
  }

  /** Checks that exactly those rows are gone that might go. */
  private void check() {
    long live = purge.rows() - purge.purged();
    long first = purge.purged();
    String filled =
        " from inbox where message_time < %d".formatted(Rows.newest(horizon).toEpochMilli());
    expect(
        "rows that might go",
        0,
        "select count(*) from inbox where processed_at < " + horizon.toEpochMilli());
    expect("rows that had to stay", live, "select count(*)" + filled);
    expect(
        "sum of their numbers",
        live * (first + first + live - 1) / 2,
        "select coalesce(sum(body_fingerprint), 0)" + filled);
    expect(
        "rows of messages that were consumed",
        (long) consumed * settings.messages(),
        "select count(*) from inbox where message_time >= " + Rows.newest(horizon).toEpochMilli());
  }

  private void expect(String what, long expected, String sql) {
    bed.tables().expect("purge", what, expected, sql);
  }

  private long deadlocks() {
    return rows.number(settings.database().storage().deadlocks());
  }

  private long dead() {
    return rows.number(settings.database().storage().dead());
  }

  /** Waits until the server has cleaned up by itself, as far as it will. */
  private Duration awaitVacuum() throws InterruptedException {
    long begunAt = System.nanoTime();
    long enough = Math.max(1_000, purge.rows() / 100);
    while (dead() > enough && System.nanoTime() - begunAt < VACUUM.toNanos()) {
      await();
    }
    rows.analyze();
    return Duration.ofNanos(System.nanoTime() - begunAt);
  }
}
