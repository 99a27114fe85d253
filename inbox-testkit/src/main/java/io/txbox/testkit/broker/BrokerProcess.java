package io.txbox.testkit.broker;

import io.txbox.testkit.process.ChildJvm;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/** A child JVM that runs {@link BrokerMain}. */
final class BrokerProcess {

  private final ChildJvm child;

  private BrokerProcess(ChildJvm child) {
    this.child = child;
  }

  /** Starts a child JVM, and returns once its broker is ready. */
  static BrokerProcess start(Endpoint endpoint, Path folder, BrokerSettings settings)
      throws IOException {
    Path settingsFile = folder.resolve("settings.properties");
    Properties properties = new Properties();
    properties.putAll(settings.properties());
    try (Writer writer = Files.newBufferedWriter(settingsFile)) {
      properties.store(writer, null);
    }
    ChildJvm child =
        ChildJvm.start(
            folder,
            List.of("-Xms64m", "-Xmx512m", "-Duser.home=" + folder, "-Drocketmq.log.level=warn"),
            BrokerMain.class,
            String.valueOf(endpoint.nameServerPort()),
            String.valueOf(endpoint.brokerPort()),
            folder.toString(),
            settingsFile.toString());
    child.await(BrokerMain.READY);
    return new BrokerProcess(child);
  }

  ProcessHandle handle() {
    return child.handle();
  }

  void flush() {
    child.order(BrokerMain.FLUSH);
    child.await(BrokerMain.FLUSHED);
  }

  /** Kills it (SIGKILL) and waits until it is gone. Does nothing if it is gone. */
  void kill() {
    child.kill();
  }
}
