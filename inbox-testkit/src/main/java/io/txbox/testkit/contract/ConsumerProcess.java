package io.txbox.testkit.contract;

import io.txbox.testkit.database.TestDatabase;
import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.List;

/** A child JVM that runs {@link ConsumerProcessMain}: it consumes until it is killed. */
final class ConsumerProcess implements AutoCloseable {
  private static final String REBALANCE = "rocketmq.client.rebalance.waitInterval";

  private final TempFolder folder;
  private final ChildJvm child;

  private ConsumerProcess(TempFolder folder, ChildJvm child) {
    this.folder = folder;
    this.child = child;
  }

  /**
   * Starts a consumer, and returns once it has started.
   *
   * @param main calls {@link ConsumerProcessMain#run} with the database's dialect
   */
  static ConsumerProcess start(
      Class<?> main, String nameServer, TestDatabase database, String group, String topic) {
    TempFolder folder = TempFolder.create("txbox-consumer-");
    try {
      List<String> options =
          List.of("-Xmx256m", "-D" + REBALANCE + "=" + System.getProperty(REBALANCE, "1000"));
      ChildJvm child = ChildJvm.start(folder.path(), options, main, folder.path().toString());
      // Not as arguments: these are for all to see.
      List.of(nameServer, group, topic, database.jdbcUrl(), database.user(), database.password())
          .forEach(child::order);
      child.await(ConsumerProcessMain.READY);
      return new ConsumerProcess(folder, child);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  /** Kills it (SIGKILL) and waits until it is gone. Does nothing if it is gone. */
  void kill() {
    child.kill();
  }

  @Override
  public void close() {
    kill();
    folder.close();
  }
}
