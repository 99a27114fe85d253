package io.txbox.samples.demo;

import io.txbox.testkit.database.TestDatabase;
import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An instance of the service: a JVM of its own that runs {@link InstanceMain}. */
final class Instance implements AutoCloseable {
  /** Of its name. */
  static final String PREFIX = "instance-";

  private static final long PATIENCE_S = 60;

  private final String name;
  private final TempFolder folder;
  private final ChildJvm child;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  private Instance(String name, TempFolder folder, ChildJvm child) {
    this.name = name;
    this.folder = folder;
    this.child = child;
  }

  /** Starts an instance, and does not wait until it is ready. */
  static Instance start(
      String name,
      Mode mode,
      String nameServer,
      Database kind,
      TestDatabase database,
      Deliveries deliveries) {
    TempFolder folder = TempFolder.create("txbox-demo-");
    try {
      List<String> options =
          List.of(
              "-Xmx128m",
              "-Duser.home=" + folder.path(),
              "-Dlogback.configurationFile=" + Demo.LOGBACK,
              // RocketMQ's clients share out queues every 20 s by default; the demo has no time.
              "-Drocketmq.client.rebalance.waitInterval=1000");
      ChildJvm child =
          ChildJvm.start(
              folder.path(),
              options,
              InstanceMain.class,
              name,
              mode.name(),
              kind.name(),
              folder.path().toString());
      Instance instance = new Instance(name, folder, child);
      instance.listen(deliveries);
      // Not as arguments: these are for all to see.
      List.of(nameServer, database.jdbcUrl(), database.user(), database.password())
          .forEach(child::order);
      return instance;
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private void listen(Deliveries deliveries) {
    Thread reader =
        new Thread(
            () -> {
              String line;
              while ((line = child.nextAnswer()) != null) {
                if (line.equals(InstanceMain.READY)) {
                  ready.complete(null);
                } else if (line.equals(InstanceMain.STOPPED)) {
                  stopped.complete(null);
                } else {
                  deliveries.add(name, Event.parse(line));
                }
              }
              IllegalStateException dead =
                  new IllegalStateException(name + " has ended by itself:\n" + child.log());
              ready.completeExceptionally(dead);
              stopped.completeExceptionally(dead);
            },
            name + "-reader");
    reader.setDaemon(true);
    reader.start();
  }

  String name() {
    return name;
  }

  boolean isReady() {
    return ready.isDone();
  }

  Instance awaitReady() {
    ready.orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
    return this;
  }

  /** Lets it come to the end of what it does, and end. */
  void leave() {
    child.order(InstanceMain.STOP);
    stopped.orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
    child.end();
    folder.close();
  }

  /** Kills it (SIGKILL), and returns when it is gone. */
  void kill() {
    child.kill();
    // At once: nobody would, if this JVM were killed now.
    folder.close();
  }

  @Override
  public void close() {
    kill();
  }
}
