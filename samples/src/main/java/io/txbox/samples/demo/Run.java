package io.txbox.samples.demo;

import static org.awaitility.Awaitility.await;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.apache.rocketmq.common.MixAll;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;

/** One run, from the first message to the audit. For one thread. */
final class Run {
  private static final int QUEUES = 4;
  private static final int PARTS = 8;
  private static final int SENDS_PER_SECOND = 70;

  /** With fewer payments, each kind of kill is done once. */
  private static final int SMALL = 200;

  private static final Duration SHORTEST_PART = Duration.ofSeconds(2);

  /** Three times what a redelivery takes here: a second, and the second of a poll. */
  private static final Duration QUIET = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Mode mode;
  private final Plan plan;
  private final Progress progress;
  private final Cleanup cleanup;
  private final KillableBroker broker;
  private final TestDatabase database;
  private final Ledger ledger;
  private final Deliveries deliveries;
  private final Sender sender;
  private final OpenTransactions transactions;
  private final Faults faults = new Faults();
  private final Deque<Instance> instances = new ArrayDeque<>();
  private int started;
  private int partsSent;
  private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

  private Run(
      Mode mode,
      Plan plan,
      Progress progress,
      Cleanup cleanup,
      KillableBroker broker,
      TestDatabase database) {
    this.mode = mode;
    this.plan = plan;
    this.progress = progress;
    this.cleanup = cleanup;
    this.broker = broker;
    this.database = database;
    ledger = new Ledger(plan.opening());
    deliveries = new Deliveries(ledger);
    sender = cleanup.add(new Sender(broker.producer(), ledger));
    transactions = new OpenTransactions(database.dataSource());
  }

  /** Starts all parts, lets them run, breaks them, and returns what has come of it. */
  static Report of(Mode mode, int payments, long seed, Progress progress, Cleanup cleanup)
      throws SQLException {
    progress.say("Starts a RocketMQ broker and a PostgreSQL, each in a process of its own");
    CompletableFuture<KillableBroker> broker = starting(cleanup, TestBroker::inChildJvm);
    CompletableFuture<TestDatabase> database = starting(cleanup, TestDatabase::onOwnPostgres);
    Plan plan = Plan.of(payments, seed);
    Run run = new Run(mode, plan, progress, cleanup, broker.join(), database.join());
    progress.counters(run::counters);
    run.open();
    run.consume();
    int rounds = payments < SMALL ? 1 : 2;
    for (int round = 0; round < rounds; round++) {
      run.killInTransaction();
    }
    run.joinAndLeave();
    run.killBroker();
    for (int round = 0; round < rounds || run.mayKillAgain(); round++) {
      run.killAfterCommit();
    }
    run.settle();
    run.rewind();
    return run.audit();
  }

  private interface Start<T> {
    T start();
  }

  /** Starts something beside, and has it closed at the end, also if that comes before it runs. */
  private static <T extends AutoCloseable> CompletableFuture<T> starting(
      Cleanup cleanup, Start<T> start) {
    CompletableFuture<T> starting = CompletableFuture.supplyAsync(start::start);
    cleanup.add(
        () -> {
          Optional<T> thing = starting.handle((got, failed) -> Optional.ofNullable(got)).join();
          if (thing.isPresent()) {
            thing.get().close();
          }
        });
    return starting;
  }

  private void open() throws SQLException {
    for (Topic topic : Topic.values()) {
      broker.createTopic(topic.name(), QUEUES);
    }
    Migrations.migrate(database.dataSource());
    Shop.open(database.dataSource(), plan.opening());
    progress.say(
        "PostgreSQL %s has fsync %s and synchronous_commit %s"
            .formatted(show("server_version"), show("fsync"), show("synchronous_commit")));
  }

  private String show(String setting) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private void consume() {
    progress.say("Starts two instances; each is " + mode.description());
    List<Instance> two = List.of(start(), start());
    two.forEach(Instance::awaitReady);
    progress.say("The sender begins, and goes on whatever happens from now on");
    sendNextPart();
    awaitSoon("the first messages", () -> two.stream().allMatch(this::hasProcessed));
    sent.join();
  }

  @SuppressWarnings("try") // The accounts are only held.
  private void killInTransaction() throws SQLException {
    Instance victim;
    int open;
    try (var frozen = new OpenTransactions.FrozenAccounts(database.dataSource())) {
      sendNextPart();
      String name =
          soon("a transaction that waits")
              .until(transactions::waiting, Optional::isPresent)
              .orElseThrow();
      victim = instance(name);
      victim.kill();
      open = transactions.of(name);
    }
    progress.say(
        "SIGKILL for %s while %d of its transactions are open".formatted(victim.name(), open));
    faults.killedInTransaction += open > 0 ? 1 : 0;
    faults.transactionsHit += open;
    awaitSoon("rollback of what it did", () -> transactions.of(victim.name()) == 0);
    replace(victim);
  }

  private void joinAndLeave() {
    Instance third = start().awaitReady();
    sendNextPart();
    awaitSoon("messages for " + third.name(), () -> hasProcessed(third));
    faults.joined++;
    progress.say("%s has joined and has its share".formatted(third.name()));
    Instance oldest = instances.removeFirst();
    oldest.leave();
    faults.left++;
    progress.say("%s has left in good order".formatted(oldest.name()));
  }

  private void killBroker() {
    sendNextPart();
    int unanswered = ledger.unansweredSends();
    broker.kill();
    progress.say("SIGKILL for the broker; sends fail, and the sender makes them again");
    awaitSoon("sends that fail", () -> ledger.unansweredSends() > unanswered);
    broker.restart();
    faults.brokerKills++;
    int before = deliveries.all();
    awaitSoon("deliveries after the broker's restart", () -> deliveries.all() > before);
    progress.say("The broker is back on its store, and delivers");
  }

  private Instance firstToCommit() {
    Map<Instance, Integer> before = new LinkedHashMap<>();
    instances.forEach(one -> before.put(one, deliveries.processedBy(one.name())));
    return soon("a commit")
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                instances.stream()
                    .filter(one -> deliveries.processedBy(one.name()) > before.getOrDefault(one, 0))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private void killAfterCommit() {
    sendNextPart();
    Instance victim = firstToCommit();
    int again = deliveries.deliveredAgainAfter(victim.name());
    victim.kill();
    progress.say(
        "SIGKILL for %s right after a commit, before it has stored its offsets"
            .formatted(victim.name()));
    replace(victim);
    try {
      soon("messages that come again")
          .atMost(Duration.ofSeconds(15))
          .until(() -> deliveries.deliveredAgainAfter(victim.name()) > again);
      faults.killedAfterCommit++;
    } catch (ConditionTimeoutException e) {
      progress.say("Its offsets were stored in that very moment: no message comes again");
    }
    faults.deliveredAgain += deliveries.deliveredAgainAfter(victim.name()) - again;
  }

  /** Says whether no kill has hit yet, and there is still something to commit. */
  private boolean mayKillAgain() {
    return faults.killedAfterCommit == 0 && partsSent < PARTS - 1;
  }

  private void settle() {
    while (partsSent < PARTS) {
      sendNextPart();
    }
    instances.forEach(Instance::awaitReady);
    progress.say("The sender sends the rest, and the instances come to its end");
    sent.join();
    awaitQuiet();
  }

  private void rewind() {
    stopAll();
    int before = deliveries.all();
    for (Topic topic : Topic.values()) {
      for (int queue = 0; queue < QUEUES; queue++) {
        faults.rewound += (int) broker.maxOffset(topic.name(), queue);
      }
      broker.resetOffsets(InstanceMain.GROUP, topic.name(), 0);
    }
    progress.say(
        "All instances are stopped, as RocketMQ wants it; an operator rewinds the offsets to 0:"
            + " %,d messages come again".formatted(faults.rewound));
    for (int attempt = 0; attempt < 3 && !isDrained(); attempt++) {
      start().awaitReady();
      awaitQuiet();
      stopAll();
    }
    faults.deliveredAfterRewind = deliveries.all() - before;
  }

  private Report audit() throws SQLException {
    progress.say("Holds the sender's ledger against the database");
    Audit audit = Audit.of(database.dataSource(), ledger);
    return new Report(mode, ledger, deliveries, faults, audit, isDrained());
  }

  private boolean isDrained() {
    String retries = MixAll.getRetryTopic(InstanceMain.GROUP);
    for (Topic topic : Topic.values()) {
      for (int queue = 0; queue < QUEUES; queue++) {
        if (!isDrained(topic.name(), queue)) {
          return false;
        }
      }
    }
    return isDrained(retries, 0);
  }

  private boolean isDrained(String topic, int queue) {
    return broker.committedOffset(InstanceMain.GROUP, topic, queue).orElse(0)
        >= broker.maxOffset(topic, queue);
  }

  private void sendNextPart() {
    List<Send> part = plan.part(partsSent++, PARTS);
    Duration time = Duration.ofMillis(1_000L * part.size() / SENDS_PER_SECOND);
    sent = sender.send(part, time.compareTo(SHORTEST_PART) < 0 ? SHORTEST_PART : time);
  }

  private Instance start() {
    String name = "instance-" + ++started;
    Instance instance =
        cleanup.add(Instance.start(name, mode, broker.nameServer(), database, deliveries));
    instances.addLast(instance);
    return instance;
  }

  private Instance instance(String name) {
    return instances.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }

  private void replace(Instance dead) {
    instances.remove(dead);
    dead.close();
    progress.say("%s starts in its place".formatted(start().name()));
  }

  private void stopAll() {
    while (!instances.isEmpty()) {
      instances.removeFirst().leave();
    }
  }

  private boolean hasProcessed(Instance instance) {
    return deliveries.processedBy(instance.name()) > 0;
  }

  /** Waits until nothing is delivered any more; if that does not come, the table will tell. */
  private void awaitQuiet() {
    deliveries.stir();
    try {
      soon("quiet").until(() -> deliveries.quiet().compareTo(QUIET) >= 0);
    } catch (ConditionTimeoutException e) {
      progress.say("Messages still come and come, but time is up");
    }
  }

  private void awaitSoon(String what, Callable<Boolean> condition) {
    soon(what).until(condition);
  }

  private static ConditionFactory soon(String what) {
    return await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .pollInSameThread();
  }

  private String counters() {
    int sentMessages = 0;
    for (Topic topic : Topic.values()) {
      sentMessages += ledger.messages(topic);
    }
    int processed = deliveries.all(Event.Outcome.PROCESSED);
    int failed = deliveries.all(Event.Outcome.FAILED);
    return "sent %,d, delivered %,d: processed %,d, skipped as duplicates %,d, rolled back %,d"
        .formatted(
            sentMessages,
            deliveries.all(),
            processed,
            deliveries.all() - processed - failed,
            failed);
  }
}
