package io.txbox.testkit.broker;

import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Runs a broker in a JVM of its own: says {@link #READY} on the standard output, then does what it
 * is told on the standard input, and dies at its end, which comes when the parent dies.
 */
final class BrokerMain {

  static final String READY = "ready";
  static final String FLUSH = "flush";
  static final String FLUSHED = "flushed";

  private BrokerMain() {}

  /** Takes the ports of name server and broker, the store, and the file with the settings. */
  @SuppressWarnings("SystemExitOutsideMain")
  public static void main(String[] args) throws IOException {
    Parent parent = Parent.ofThisJvm();
    try {
      Endpoint endpoint = new Endpoint(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
      BrokerNode node = BrokerNode.start(endpoint, Path.of(args[2]), settings(Path.of(args[3])));
      parent.answer(READY);
      obey(node, parent);
      // The parent is dead, and nobody else deletes the store.
      deleteAndHalt(new TempFolder(Path.of(args[2])));
    } catch (RuntimeException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void deleteAndHalt(TempFolder store) {
    for (int attempt = 0; attempt < 10 && Files.exists(store.path()); attempt++) {
      try {
        store.close();
      } catch (UncheckedIOException e) {
        // The broker still writes: a new file has come meanwhile.
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static void obey(BrokerNode node, Parent parent) {
    String order;
    while ((order = parent.nextOrder()) != null) {
      if (order.equals(FLUSH)) {
        node.flush();
        parent.answer(FLUSHED);
      }
    }
  }

  private static BrokerSettings settings(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    BrokerSettings settings = BrokerSettings.defaults();
    for (String name : properties.stringPropertyNames()) {
      settings = settings.property(name, properties.getProperty(name));
    }
    return settings;
  }
}
