package io.txbox.cli;

import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorEvent;
import io.txbox.janitor.JanitorHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the passes of a janitor until all has gone that could when the first one announced its
 * horizons, or the process is told to end: then a batch comes to its end.
 */
final class PurgeRun {
  private static final Duration ANNOUNCED = Duration.ofSeconds(10);
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final int FAILED = 1;

  /** For what the database must have answered; then it is of no use to wait. */
  private static final Duration LAST_BATCH = Duration.ofSeconds(90);

  private final Consumer<String> out;
  private final Duration leaseWait;
  private final Janitor janitor;
  private final AtomicLong purged = new AtomicLong();
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable Map<String, Instant> announced;
  private long standbySince;
  private boolean standby;
  private boolean saidThatItWaits;

  PurgeRun(Consumer<String> out, Duration leaseWait, Janitor.Builder janitor) {
    this.out = out;
    this.leaseWait = leaseWait;
    this.janitor = janitor.listener(this::on).build();
  }

  Janitor janitor() {
    return janitor;
  }

  private void on(JanitorEvent event) {
    if (event instanceof JanitorEvent.Purged some) {
      long all = purged.addAndGet(some.rows());
      out.accept(
          "Purged %s rows of %s in %d ms; %s so far"
              .formatted(
                  PreviewText.number(some.rows()),
                  some.scope(),
                  some.elapsed().toMillis(),
                  PreviewText.number(all)));
    }
  }

  /** Purges, and returns the exit code. */
  int run() throws InterruptedException {
    Thread hook = new Thread(this::stop, "inbox-cli-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      int code = passes();
      if (!isTold()) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
      return code;
    } catch (RuntimeException e) {
      if (isTold()) {
        return stopped(); // The janitor was closed while it asked.
      }
      throw e;
    } finally {
      ended.countDown();
    }
  }

  /** Has the batch of the moment be the last, and waits for what there is to say. */
  private void stop() {
    told.countDown();
    out.accept("Told to end: it does after the batch of the moment");
    janitor.close();
    try {
      boolean unused = ended.await(LAST_BATCH.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isTold() {
    return told.getCount() == 0;
  }

  private int passes() throws InterruptedException {
    while (!isTold()) {
      boolean moreWaits = janitor.pass();
      JanitorHealth health = janitor.health();
      if (isTold()) {
        break;
      }
      if (health.standby()) {
        if (!waitForLease()) {
          return FAILED;
        }
      } else {
        standby = false;
        JanitorHealth.Group group = health.groups().get(0);
        if (!moreWaits && isDone(group)) {
          return summary(group.heldBy());
        }
        if (!moreWaits) {
          waitForHorizon();
        }
      }
    }
    return stopped();
  }

  private boolean waitForLease() throws InterruptedException {
    if (!standby) {
      standby = true;
      standbySince = System.nanoTime();
      out.accept(
          "Another janitor has the lease%s; waiting for up to %d s"
              .formatted(holder(), leaseWait.toSeconds()));
    }
    if (System.nanoTime() - standbySince >= leaseWait.toNanos()) {
      out.accept(
          ("Another janitor still has the lease%s after %d s: nothing more was purged here. If it"
                  + " is dead, a --lease-wait of more than 90 s takes over")
              .formatted(holder(), leaseWait.toSeconds()));
      return false;
    }
    pause(AGAIN);
    return true;
  }

  private String holder() {
    return janitor.preview().leaseHolder().map(who -> " (" + who + ")").orElse("");
  }

  private boolean isDone(JanitorHealth.Group group) {
    if (announced == null) {
      announced =
          group.scopes().stream()
              .filter(scope -> scope.horizon().isPresent())
              .collect(
                  Collectors.toMap(
                      JanitorHealth.Scope::scope, scope -> scope.horizon().orElseThrow()));
    }
    Map<String, Instant> targets = announced;
    return group.scopes().stream()
        .filter(scope -> targets.containsKey(scope.scope()))
        .allMatch(
            scope ->
                scope
                    .purgeHorizon()
                    .filter(horizon -> !horizon.isBefore(targets.get(scope.scope())))
                    .isPresent());
  }

  private void waitForHorizon() throws InterruptedException {
    if (saidThatItWaits) {
      pause(AGAIN);
    } else {
      saidThatItWaits = true;
      out.accept("Announced the horizon; rows go by it in ten seconds");
      pause(ANNOUNCED);
    }
  }

  private void pause(Duration time) throws InterruptedException {
    boolean unused = told.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private int summary(Optional<String> heldBy) {
    out.accept("Done: purged " + PreviewText.number(purged.get()) + " rows");
    if (purged.get() == 0) {
      janitor.preview().groups().get(0).scopes().stream()
          .flatMap(scope -> PreviewText.words(scope).stream())
          .forEach(out);
    }
    heldBy.ifPresent(
        why ->
            out.accept(
                "The purge clock stands still, so that no more grows old: "
                    + Brokers.withoutLinks(why)));
    return heldBy.isPresent() ? FAILED : 0;
  }

  private int stopped() {
    out.accept("Stopped: purged " + PreviewText.number(purged.get()) + " rows");
    return FAILED;
  }
}
