package io.txbox.testkit.broker;

import io.txbox.testkit.process.TempFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A broker in a JVM of its own, on a store and on ports that it keeps: it can be killed as by a
 * power cut (SIGKILL) and started again.
 *
 * <p>The child JVM ends with this one, whichever way that ends.
 */
public final class KillableBroker extends TestBroker {

  private final TempFolder folder;
  private final BrokerSettings settings;
  private final AtomicBoolean closed = new AtomicBoolean();
  private BrokerProcess process;

  private KillableBroker(
      Endpoint endpoint, TempFolder folder, BrokerSettings settings, BrokerProcess process) {
    super(endpoint);
    this.folder = folder;
    this.settings = settings;
    this.process = process;
  }

  static KillableBroker start(BrokerSettings settings) {
    Endpoint endpoint = Endpoint.free();
    TempFolder folder = TempFolder.create("txbox-broker-");
    try {
      BrokerProcess process = BrokerProcess.start(endpoint, folder.path(), settings);
      return new KillableBroker(endpoint, folder, settings, process);
    } catch (IOException e) {
      folder.close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  /** Kills name server and broker at once, and returns when they are gone. */
  public synchronized void kill() {
    process.kill();
  }

  /**
   * Starts name server and broker again on what the killed ones left, kills them before if they
   * still run, and returns once clients can use them. What was written less than about 10 s before
   * the kill may be lost, except messages; {@link #flush} prevents that.
   */
  public synchronized void restart() {
    if (closed.get()) {
      throw new IllegalStateException("The broker's store is deleted: it was closed");
    }
    process.kill();
    try {
      process = BrokerProcess.start(endpoint(), folder.path(), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Does the same as {@link #restart}, after it has deleted the file with the offsets of all groups
   * and its backup, as if a disk or an operator had lost them.
   *
   * @throws IllegalStateException if there is no such file: it is written by {@link #flush}
   */
  public synchronized void restartWithoutOffsets() {
    process.kill();
    Path offsets = folder.path().resolve("config").resolve("consumerOffset.json");
    try {
      if (!Files.deleteIfExists(offsets)) {
        throw new IllegalStateException("There is no " + offsets);
      }
      Files.deleteIfExists(offsets.resolveSibling("consumerOffset.json.bak"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    restart();
  }

  /**
   * Has the broker write its consumer offsets and delay offsets now; by itself it does so every 5 s
   * and 10 s.
   */
  public synchronized void flush() {
    process.flush();
  }

  /** Returns the child JVM that was started last, for tests that stop and continue it. */
  public synchronized ProcessHandle process() {
    return process.handle();
  }

  @Override
  Path store() {
    return folder.path();
  }

  @Override
  public synchronized void close() {
    if (closed.compareAndSet(false, true)) {
      super.close();
      process.kill();
      folder.close();
    }
  }
}
