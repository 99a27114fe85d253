package io.txbox.samples.demo;

import static org.awaitility.Awaitility.await;

import io.txbox.migrations.Migrations;
import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.database.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Collectors;
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

  /** After so long without a delivery, people wonder whether it hangs. */
  private static final Duration LONG = Duration.ofSeconds(5);

  private final Mode mode;
  private final Database kind;
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
  private final Deque<Instance> instances = new ConcurrentLinkedDeque<>();
  private int started;
  private int partsSent;
  private volatile String waitsFor = "its topics and tables";
  private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

  private Run(
      Mode mode,
      Database kind,
      Plan plan,
      Progress progress,
      Cleanup cleanup,
      KillableBroker broker,
      TestDatabase database) {
    this.mode = mode;
    this.kind = kind;
    this.plan = plan;
    this.progress = progress;
    this.cleanup = cleanup;
    this.broker = broker;
    this.database = database;
    ledger = new Ledger(plan.opening());
    deliveries = new Deliveries(ledger);
    sender = cleanup.add(new Sender(broker.producer(), ledger));
    transactions = new OpenTransactions(kind, database.dataSource());
  }

  /** Starts all parts, lets them run, breaks them, and returns what has come of it. */
  static Report of(
      Mode mode, Database kind, int payments, long seed, Progress progress, Cleanup cleanup)
      throws SQLException {
    progress.say("Starts a RocketMQ broker and " + kind.howItStarts());
    Servers servers = Servers.start(kind, cleanup);
    progress.counters(servers::state);
    Plan plan = Plan.of(payments, seed);
    TestDatabase database = servers.awaitDatabase();
    Run run = new Run(mode, kind, plan, progress, cleanup, servers.awaitBroker(), database);
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

  private void open() throws SQLException {
    for (Topic topic : Topic.values()) {
      broker.createTopic(topic.name(), QUEUES);
    }
    Migrations.migrate(database.dataSource());
    Shop.open(kind, database.dataSource(), plan.opening());
    progress.say(
        "%s; the database is %s"
            .formatted(kind.durability(database.dataSource()), database.name()));
  }

  private void consume() {
    progress.say("Starts two instances; each is " + mode.description());
    List<Instance> two = List.of(start(), start());
    two.forEach(this::awaitReady);
    progress.say("The sender begins, and goes on whatever happens from now on");
    sendNextPart();
    awaitSoon(
        "both instances to commit something", () -> two.stream().allMatch(this::hasProcessed));
    awaitSent();
  }

  @SuppressWarnings("try") // The accounts are only held.
  private void killInTransaction() throws SQLException {
    Instance victim;
    int open;
    try (var frozen = new OpenTransactions.FrozenAccounts(database.dataSource())) {
      sendNextPart();
      String name =
          soon("a transaction to be open, to kill its instance")
              .until(transactions::waiting, Optional::isPresent)
              .orElseThrow();
      victim = instance(name);
      victim.kill();
      open = transactions.of(name);
    }
    if (open > 0) {
      progress.say(
          "SIGKILL for %s in %s"
              .formatted(
                  victim.name(), Faults.count(open, "open transaction", "open transactions")));
      faults.killedInTransaction++;
    } else {
      progress.say(
          "SIGKILL for %s, whose transactions had ended just before: this kill does not count"
              .formatted(victim.name()));
      faults.killedInVain++;
    }
    faults.transactionsHit += open;
    awaitSoon(
        "%s to roll back what %s has done".formatted(kind.title(), victim.name()),
        () -> transactions.of(victim.name()) == 0);
    replace(victim);
  }

  private void joinAndLeave() {
    Instance third = awaitReady(start());
    sendNextPart();
    awaitSoon(
        "RocketMQ to give %s queues, and for a message in them".formatted(third.name()),
        () -> hasProcessed(third));
    faults.joined++;
    progress.say("%s has joined and has its share".formatted(third.name()));
    Instance oldest = instances.removeFirst();
    oldest.leave();
    faults.left++;
    progress.say("%s has left in good order".formatted(oldest.name()));
  }

  private void killBroker() {
    // One that still starts would find no broker, and end: that is no fault that the demo counts.
    instances.forEach(this::awaitReady);
    sendNextPart();
    int unanswered = ledger.unansweredSends();
    broker.kill();
    progress.say("SIGKILL for the broker; sends fail, and the sender makes them again");
    awaitSoon("a send to fail", () -> ledger.unansweredSends() > unanswered);
    waitsFor = "the broker to start again";
    broker.restart();
    faults.brokerKills++;
    int before = deliveries.all();
    awaitSoon("the instances to connect to the broker again", () -> deliveries.all() > before);
    progress.say("The broker is back on its store, and delivers");
  }

  private Instance firstToCommit() {
    Map<Instance, Integer> before = new LinkedHashMap<>();
    instances.forEach(one -> before.put(one, deliveries.processedBy(one.name())));
    return soon("a commit, to kill its instance")
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
    progress.say("SIGKILL for %s right after a commit".formatted(victim.name()));
    replace(victim);
    awaitAgainOrDrained(victim, again);
    int came = deliveries.deliveredAgainAfter(victim.name()) - again;
    if (came > 0) {
      progress.say(
          "%s had not stored the offset of what it had committed: that comes again, elsewhere"
              .formatted(victim.name()));
      faults.killedAfterCommit++;
      faults.deliveredAgain += came;
    } else {
      String why =
          isDrained() ? "had stored its offsets just before" : "has left nothing that came again";
      progress.say("%s %s: this kill does not count".formatted(victim.name(), why));
      faults.killedInVain++;
    }
  }

  /** Waits until something of the dead comes again, or nothing is left that could. */
  private void awaitAgainOrDrained(Instance dead, int before) {
    try {
      soon("messages of %s to come to another instance".formatted(dead.name()))
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(200))
          .until(
              () ->
                  deliveries.deliveredAgainAfter(dead.name()) > before
                      || (sent.isDone() && isDrained()));
    } catch (ConditionTimeoutException e) {
      // Then what is late is not what it had committed.
    }
  }

  /** Says whether no kill has hit yet, and there is still something to commit. */
  private boolean mayKillAgain() {
    return faults.killedAfterCommit == 0 && partsSent < PARTS - 1;
  }

  private void settle() {
    while (partsSent < PARTS) {
      sendNextPart();
    }
    instances.forEach(this::awaitReady);
    progress.say("The sender sends the rest, and the instances handle all that is left");
    awaitSent();
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
        "All instances have left (a running one would store its own offsets again), and an operator"
            + " rewinds the offsets to 0: %,d messages come again".formatted(faults.rewound));
    for (int attempt = 0; attempt < 3 && !isDrained(); attempt++) {
      awaitReady(start());
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
    String name = Instance.PREFIX + ++started;
    Instance instance =
        cleanup.add(Instance.start(name, mode, broker.nameServer(), kind, database, deliveries));
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
      soon("%d s without a delivery, to know that this was all".formatted(QUIET.toSeconds()))
          .until(() -> deliveries.quiet().compareTo(QUIET) >= 0);
    } catch (ConditionTimeoutException e) {
      progress.say("Messages still come and come, but time is up");
    }
  }

  private void awaitSoon(String what, Callable<Boolean> condition) {
    soon(what).until(condition);
  }

  private Instance awaitReady(Instance instance) {
    waitsFor = instance.name() + " to start";
    return instance.awaitReady();
  }

  private void awaitSent() {
    waitsFor = "the sender to come to the end of this part";
    sent.join();
  }

  private ConditionFactory soon(String what) {
    waitsFor = what;
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
    if (sentMessages == 0) {
      return whyNothingComes();
    }
    int processed = deliveries.all(Event.Outcome.PROCESSED);
    int failed = deliveries.all(Event.Outcome.FAILED);
    String counters =
        "sent %,d, delivered %,d: processed %,d, skipped as duplicates %,d, rolled back %,d"
            .formatted(
                sentMessages,
                deliveries.all(),
                processed,
                deliveries.all() - processed - failed,
                failed);
    long quiet = deliveries.quiet().toSeconds();
    return quiet < LONG.toSeconds()
        ? counters
        : counters + "; nothing for %d s: %s".formatted(quiet, whyNothingComes());
  }

  private String whyNothingComes() {
    if (instances.isEmpty() || instances.stream().anyMatch(Instance::isReady)) {
      return "the demo waits for " + waitsFor;
    }
    String names = instances.stream().map(Instance::name).collect(Collectors.joining(", "));
    return "no instance runs (still starting: %s)".formatted(names);
  }
}
