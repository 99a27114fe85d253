package io.txbox.testkit.broker;

import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** A broker whose threads are in this JVM. */
final class InJvmBroker extends TestBroker {

  private final BrokerNode node;
  private final TempFolder store;
  private final AtomicBoolean closed = new AtomicBoolean();

  private InJvmBroker(Endpoint endpoint, BrokerNode node, TempFolder store) {
    super(endpoint);
    this.node = node;
    this.store = store;
  }

  static TestBroker start(BrokerSettings settings) {
    Endpoint endpoint = Endpoint.free();
    TempFolder store = TempFolder.create("txbox-broker-");
    try {
      return new InJvmBroker(endpoint, BrokerNode.start(endpoint, store.path(), settings), store);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  @Override
  Path store() {
    return store.path();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      super.close();
      node.close();
      store.close();
    }
  }
}
