package io.txbox.testkit.broker;

import io.txbox.testkit.network.LoopbackPorts;

/** Where a name server and its broker listen. */
record Endpoint(int nameServerPort, int brokerPort) {

  static final String HOST = "127.0.0.1";
  static final String CLUSTER = "testkit";
  static final String BROKER = "broker-a";

  /** Returns one of free ports. A broker listens on the port two below its own, too. */
  static Endpoint free() {
    return new Endpoint(LoopbackPorts.free(), LoopbackPorts.freeRun(3) + 2);
  }

  String nameServer() {
    return HOST + ":" + nameServerPort;
  }

  String broker() {
    return HOST + ":" + brokerPort;
  }
}
