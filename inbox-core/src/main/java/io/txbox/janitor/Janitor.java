package io.txbox.janitor;

import io.txbox.QueueId;
import io.txbox.SetupException;
import io.txbox.internal.PollingLoop;
import io.txbox.internal.Require;
import io.txbox.internal.database.ConnectionProbe;
import io.txbox.internal.database.Database;
import io.txbox.internal.database.Rights;
import io.txbox.internal.database.SetupCheck;
import io.txbox.janitor.PurgeClock.Reading;
import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges inbox rows that no copy of a message can need any more (invariant PURGE-SAFE). An {@code
 * InboxConsumer} has one inside; this one runs alone.
 *
 * <p>Any number may run on one database; a lease lets one at a time purge. Rows go in small
 * transactions of their own, the oldest first; what another transaction has locked is passed over.
 * Parked rows never go. Thread-safe.
 */
public final class Janitor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Janitor.class);

  private static final String LEASE = "janitor";

  /** Several times what a batch takes that is very slow. */
  private static final Duration LEASE_TIME = Duration.ofSeconds(90);

  /**
   * So many times an interval a janitor looks whether it can go on: what has much to purge leaves
   * the lease alone for a moment, such that another group's finds it free.
   */
  private static final int TURNS = 10;

  private final Database database;
  private final String name;
  private final Duration passTime;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Lease lease;
  private final Map<String, GroupPurge> groups = new LinkedHashMap<>();
  private final List<GroupProgress> progresses;
  private final Supervision supervision;
  private final PollingLoop loop;
  private volatile boolean closed;

  private Janitor(Builder builder) {
    database = new Database(builder.dsl, builder.dialect, builder.schema);
    name = builder.name;
    passTime = builder.passTime;
    clock = builder.clock;
    nanoTime = builder.nanoTime;
    lease = new Lease(database, LEASE, name + " " + UUID.randomUUID(), LEASE_TIME, nanoTime);
    builder.groups.forEach(
        (group, of) ->
            groups.put(
                group,
                new GroupPurge(group, of.retention(), of.progress(), database, clock, nanoTime)));
    progresses =
        builder.groups.values().stream().map(Of::progress).filter(Objects::nonNull).toList();
    supervision = new Supervision(name, clock, nanoTime, builder.interval, builder.listeners);
    Duration soon = builder.interval.dividedBy(TURNS);
    loop = new PollingLoop(log, name + "-janitor", builder.interval, soon, this::takeTurn);
  }

  /**
   * Starts a janitor.
   *
   * @param dsl takes its connections from a pool, one at a time for moments
   * @param dialect the database's dialect
   * @return a builder, for one thread
   * @throws IllegalArgumentException if {@code dsl} holds a single connection, or is for another
   *     database than the dialect
   */
  public static Builder builder(DSLContext dsl, StoreDialect dialect) {
    return new Builder(dsl, dialect);
  }

  /**
   * Checks that all is as it must be, and begins to purge, on a thread of its own.
   *
   * @throws io.txbox.SetupException if the database, its schema or the rights of its user are not
   *     fit, or a retention is too short for the brokers; it is closed then
   * @throws IllegalStateException if it was started or closed before
   */
  public void start() {
    loop.requireNew();
    try {
      check();
    } catch (RuntimeException e) {
      close(); // What asks the brokers has threads that would keep the JVM alive.
      throw e;
    }
    loop.start();
    log.info("{} - Purges the rows of {}", name, groups.keySet());
  }

  /**
   * Checks that all is as it must be, as {@link #start()} does; for whoever calls {@link #pass()}
   * himself.
   *
   * @throws io.txbox.SetupException if the database, its schema or the rights of its user are not
   *     fit, or a retention is too short for the brokers
   */
  public void check() {
    SetupCheck.database(database);
    ConnectionProbe.requireOwnSessions(database.dsl(), database.dialect(), name);
    Rights.ofJanitor(database);
    groups.values().forEach(this::checkRetention);
  }

  private void checkRetention(GroupPurge group) {
    try {
      group.checkRetention();
      group
          .shortfall()
          .ifPresent(
              why -> {
                throw new SetupException(why);
              });
    } catch (ProgressUnknownException e) {
      log.warn(
          "{} - Whether the retention of {} is long enough is not known, since the brokers could not"
              + " be asked: {}",
          name,
          group.group(),
          e.getMessage());
    }
  }

  /**
   * Does one piece of work, bounded in time: reads the purge clocks, moves the horizons, purges
   * what they let go, unless another janitor has the lease. {@link #start()} has it done again and
   * again; whoever wants it done just now may call it as well.
   *
   * @return whether more rows may go than there was time for; false once it is closed
   */
  public boolean pass() {
    Passed passed = passOnce();
    passed
        .failure()
        .ifPresent(
            failure -> {
              throw failure;
            });
    return passed.moreWaits();
  }

  /**
   * What became of a pass.
   *
   * @param moreWaits whether more rows may go than there was time for, of groups that it did not
   *     fail for
   */
  private record Passed(boolean moreWaits, Map<GroupPurge, RuntimeException> failures) {
    Optional<RuntimeException> failure() {
      return failures.values().stream()
          .reduce(
              (first, another) -> {
                first.addSuppressed(another);
                return first;
              });
    }
  }

  private synchronized Passed passOnce() {
    if (closed) {
      return new Passed(false, Map.of());
    }
    OptionalLong term = lease.acquire();
    Map<GroupPurge, Reading> readings = new LinkedHashMap<>();
    Map<GroupPurge, RuntimeException> failures = new LinkedHashMap<>();
    boolean moreWaits = false;
    if (term.isPresent()) {
      try {
        moreWaits = purge(term.getAsLong(), readings, failures);
      } finally {
        lease.release(term.getAsLong());
      }
    }
    supervision.passed(readings, failures, term.isEmpty(), groups.values(), database.skew(clock));
    return new Passed(moreWaits, failures);
  }

  /**
   * Says whether it is to be tried soon again, since more waits, or another one had the lease. Only
   * a pass that failed for all groups makes the next one come later: one that fails does not keep
   * the others from theirs, and the health and its warnings tell of it.
   */
  private boolean takeTurn() {
    Passed passed = passOnce();
    passed
        .failures()
        .forEach((group, e) -> log.debug("{} - The pass failed for {}", name, group.group(), e));
    if (passed.failures().size() == groups.size()) {
      passed
          .failure()
          .ifPresent(
              failure -> {
                throw failure;
              });
    }
    return passed.moreWaits() || lease.isTaken();
  }

  /** Purges the rows of each group; one that fails does not keep the others from it. */
  private boolean purge(
      long term, Map<GroupPurge, Reading> readings, Map<GroupPurge, RuntimeException> failures) {
    long until = nanoTime.getAsLong() + passTime.toNanos();
    BooleanSupplier timeLeft = () -> !closed && nanoTime.getAsLong() - until < 0;
    boolean moreWaits = false;
    List<GroupPurge> all = new ArrayList<>(groups.values());
    Collections.shuffle(all); // If time does not suffice, it is not always the same that waits.
    for (GroupPurge group : all) {
      try {
        Reading reading = group.clock().read();
        readings.put(group, reading);
        moreWaits |=
            group.run(
                reading,
                tx -> lease.renew(term, tx),
                timeLeft,
                purged -> supervision.purged(group.group(), purged));
      } catch (GroupPurge.LeaseLostException e) {
        throw e;
      } catch (RuntimeException e) { // Of jOOQ, of the user's transaction provider, of a port.
        failures.put(group, e);
      }
    }
    return moreWaits;
  }

  /**
   * Says what would be purged and why no more: asks the brokers and the database, and changes
   * nothing, neither rows nor horizons nor what the purge clocks go by. It needs no lease, and no
   * more rights than to read.
   *
   * @throws IllegalStateException if it is closed
   */
  public synchronized PurgePreview preview() {
    if (closed) {
      throw new IllegalStateException("The janitor " + name + " is closed: build a new one");
    }
    return new PurgePreview(
        lease.heldBy(), groups.values().stream().map(GroupPurge::preview).toList());
  }

  /**
   * Looks how the janitor does, by what its last pass found. A database that does not answer is a
   * problem like others.
   */
  public JanitorHealth health() {
    return supervision.health();
  }

  /**
   * Forgets a queue that is gone for good, and that the purge clock of a group stands still for. If
   * it comes back it is known again.
   *
   * @return whether it was known
   * @throws IllegalArgumentException if the group is none of this janitor's
   */
  public boolean retireQueue(String consumerGroup, String topic, QueueId queue) {
    GroupPurge group = groups.get(consumerGroup);
    if (group == null) {
      throw new IllegalArgumentException(
          "consumerGroup must be one of " + groups.keySet() + ", but was '" + consumerGroup + "'");
    }
    return group.clock().retire(topic, queue);
  }

  /**
   * Stops: lets a batch end, and with it the pass that it is of. Idempotent, and legal before
   * {@link #start()}.
   */
  @Override
  public void close() {
    closed = true;
    loop.close();
    progresses.forEach(GroupProgress::close);
  }

  /** A group's retention, and how to ask how far it has consumed. */
  private record Of(Retention retention, @Nullable GroupProgress progress) {}

  /** Builds a {@link Janitor}. Not thread-safe. */
  public static final class Builder {
    private final DSLContext dsl;
    private final StoreDialect dialect;
    private final Map<String, Of> groups = new LinkedHashMap<>();
    private final List<JanitorListener> listeners = new ArrayList<>();
    private InboxSchema schema = InboxSchema.ofConnection();
    private InstantSource clock = InstantSource.system();
    private LongSupplier nanoTime = System::nanoTime;
    private Duration interval = Duration.ofSeconds(10);
    private Duration passTime = Duration.ofSeconds(5);
    private String name = "txbox";

    private Builder(DSLContext dsl, StoreDialect dialect) {
      this.dsl = Objects.requireNonNull(dsl, "dsl");
      this.dialect = Objects.requireNonNull(dialect, "dialect");
      SetupCheck.context(dsl, dialect);
    }

    /**
     * Purges the rows of a consumer group.
     *
     * @param progress tells how far it has consumed; closed with the janitor
     * @throws IllegalArgumentException if the group is blank, or named twice
     */
    public Builder group(String consumerGroup, Retention retention, GroupProgress progress) {
      return group(consumerGroup, new Of(retention, Objects.requireNonNull(progress, "progress")));
    }

    /**
     * Purges the rows of a consumer group by the time of day.
     *
     * @throws IllegalArgumentException if the group is blank, or named twice, or the retention is
     *     not {@link Retention#byWallClock()}
     */
    public Builder group(String consumerGroup, Retention retention) {
      if (!retention.isByWallClock()) {
        throw new IllegalArgumentException(
            "retention of consumer group '"
                + consumerGroup
                + "' goes by how far the group has consumed: say how to find that out, by"
                + " group(consumerGroup, retention, progress), or let it go by the time of day, by"
                + " retention.byWallClock()");
      }
      return group(consumerGroup, new Of(retention, null));
    }

    private Builder group(String consumerGroup, Of of) {
      if (groups.putIfAbsent(Require.text("consumerGroup", consumerGroup), of) != null) {
        throw new IllegalArgumentException(
            "consumerGroup '" + consumerGroup + "' has a retention already");
      }
      return this;
    }

    /**
     * Sets what the janitor's thread and its lines in the log begin with. Default: txbox.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public Builder name(String name) {
      this.name = Require.text("name", name);
      return this;
    }

    /**
     * Looks for txbox's tables in this schema (MySQL: database). Default: the connection's.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public Builder schema(String schema) {
      this.schema = InboxSchema.named(Require.text("schema", schema));
      return this;
    }

    /**
     * Sets the time between two passes, give or take a fifth. Default: 10 s.
     *
     * @throws IllegalArgumentException if it is below 100 ms or above an hour
     */
    public Builder interval(Duration interval) {
      this.interval =
          Require.between("interval", Duration.ofMillis(100), Duration.ofHours(1), interval);
      return this;
    }

    /**
     * Sets for how long a pass begins further batches. Default: 5 s.
     *
     * @throws IllegalArgumentException if it is below 10 ms or above an hour
     */
    public Builder passTime(Duration passTime) {
      this.passTime =
          Require.between("passTime", Duration.ofMillis(10), Duration.ofHours(1), passTime);
      return this;
    }

    /** Sets the clock. Default: the system's. */
    public Builder clock(InstantSource clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /** Sets what tells how much time has passed, in nanoseconds. Default: the system's. */
    public Builder nanoTime(LongSupplier nanoTime) {
      this.nanoTime = Objects.requireNonNull(nanoTime, "nanoTime");
      return this;
    }

    /** Adds a listener. */
    public Builder listener(JanitorListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Builds the janitor. Asks nothing of the database or a broker, and starts no thread.
     *
     * @throws IllegalArgumentException if there is no group
     */
    public Janitor build() {
      if (groups.isEmpty()) {
        throw new IllegalArgumentException("a janitor needs at least one group(…)");
      }
      return new Janitor(this);
    }
  }
}
