package io.txbox.samples.demo;

import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.MissingServerException;
import io.txbox.testkit.database.TestDatabase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The broker and the database, which start at the same time. Thread-safe. */
record Servers(
    Database kind,
    CompletableFuture<KillableBroker> broker,
    CompletableFuture<TestDatabase> database) {
  /** How long the end waits for a start that it has interrupted. */
  private static final long STOP_PATIENCE_S = 5;

  /** Begins to start both; they are closed at the end. */
  static Servers start(Database kind, Cleanup cleanup) {
    return new Servers(
        kind, starting(cleanup, TestBroker::inChildJvm), starting(cleanup, kind::start));
  }

  /** Starts something beside, and has it closed at the end, also if that comes before it runs. */
  private static <T extends AutoCloseable> CompletableFuture<T> starting(
      Cleanup cleanup, Supplier<T> start) {
    CompletableFuture<T> starting = CompletableFuture.supplyAsync(start);
    cleanup.add(
        () -> {
          if (!starting.isDone()) {
            // As Ctrl-C does, so that the start fails now.
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
          }
          // If one hears nothing yet: it finds its parent dead, and deletes its own files.
          Optional<T> thing =
              starting
                  .handle((got, failed) -> Optional.ofNullable(got))
                  .completeOnTimeout(Optional.empty(), STOP_PATIENCE_S, TimeUnit.SECONDS)
                  .join();
          if (thing.isPresent()) {
            thing.get().close();
          }
        });
    return starting;
  }

  KillableBroker awaitBroker() {
    return broker.join();
  }

  /**
   * Waits for the database.
   *
   * @throws MissingServerException if there is no server for it
   */
  TestDatabase awaitDatabase() {
    try {
      return database.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof MissingServerException missing ? missing : e;
    }
  }

  /** Says what is not up yet. */
  String state() {
    if (broker.isDone() && database.isDone()) {
      return "topics and tables are being created";
    }
    if (broker.isDone()) {
      return kind.title() + " is still starting";
    }
    return database.isDone()
        ? "RocketMQ is still starting"
        : "RocketMQ and " + kind.title() + " are still starting";
  }
}
