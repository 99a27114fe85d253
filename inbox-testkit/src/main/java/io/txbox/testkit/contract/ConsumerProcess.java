package io.txbox.testkit.contract;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.testkit.database.TestDatabase;
import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
   * Prepares a consumer.
   *
   * @param main calls {@link ConsumerProcessMain#run} with the database's dialect
   */
  static Builder of(
      Class<?> main, String nameServer, TestDatabase database, String group, String topic) {
    return new Builder(main, nameServer, database, group, topic);
  }

  /** Waits until the consumer has started. */
  void awaitReady() {
    child.await(ConsumerProcessMain.READY);
  }

  /** Waits until the consumer has stopped where it was told to. */
  void awaitHalt(FlowStep step) {
    child.await(Halt.REACHED + step);
  }

  /** Lets the consumer go on from where it stopped. */
  void release() {
    child.order(ConsumerProcessMain.RELEASE);
  }

  /** Returns what it has written down, which outlives it. */
  Journal journal() {
    return Journal.in(folder.path());
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

  /** Starts consumers. Not thread-safe. */
  static final class Builder {
    private final Class<?> main;
    private final String nameServer;
    private final String group;
    private final String topic;
    private final HikariConfig pool = new HikariConfig();
    private @Nullable FlowStep halt;

    private Builder(
        Class<?> main, String nameServer, TestDatabase database, String group, String topic) {
      this.main = main;
      this.nameServer = nameServer;
      this.group = group;
      this.topic = topic;
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setUsername(database.user());
      pool.setPassword(database.password());
    }

    /** Stops the consumer at this step. */
    Builder haltAt(FlowStep step) {
      this.halt = step;
      return this;
    }

    /** Changes the pool's address, or properties of its driver; nothing else takes effect. */
    Builder pool(Consumer<HikariConfig> customizer) {
      customizer.accept(pool);
      return this;
    }

    /** Starts a consumer, and returns once it has started. */
    ConsumerProcess start() {
      ConsumerProcess process = launch();
      try {
        process.awaitReady();
        return process;
      } catch (RuntimeException e) {
        process.close();
        throw e;
      }
    }

    /** Starts a consumer, and does not wait for that. */
    ConsumerProcess launch() {
      TempFolder folder = TempFolder.create("txbox-consumer-");
      try {
        List<String> options =
            List.of("-Xmx256m", "-D" + REBALANCE + "=" + System.getProperty(REBALANCE, "1000"));
        ChildJvm child = ChildJvm.start(folder.path(), options, main, folder.path().toString());
        orders().forEach(child::order);
        return new ConsumerProcess(folder, child);
      } catch (RuntimeException e) {
        folder.close();
        throw e;
      }
    }

    /** Not as arguments: these are for all to see. */
    private List<String> orders() {
      List<String> orders = new ArrayList<>();
      orders.addAll(List.of(nameServer, group, topic));
      orders.addAll(List.of(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword()));
      orders.add(halt == null ? "" : halt.name());
      pool.getDataSourceProperties().forEach((name, value) -> orders.add(name + "=" + value));
      orders.add(ConsumerProcessMain.START);
      return orders;
    }
  }
}
