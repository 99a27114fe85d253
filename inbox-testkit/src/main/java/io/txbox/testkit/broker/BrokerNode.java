package io.txbox.testkit.broker;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.common.TlsMode;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.netty.TlsSystemConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.MessageStore;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** Name server and broker of this JVM. */
final class BrokerNode implements AutoCloseable {

  private final NamesrvController nameServer;
  private final BrokerController broker;

  private final OwnThreads threads;

  private BrokerNode(NamesrvController nameServer, BrokerController broker, OwnThreads threads) {
    this.threads = threads;
    this.nameServer = nameServer;
    this.broker = broker;
  }

  /** Starts both, on an empty store or on what an earlier node has left there. */
  static BrokerNode start(Endpoint endpoint, Path store, BrokerSettings settings) {
    // As RocketMQ's own main classes do: else the name server takes this for a broker of version
    // 3.0, and keeps no topics of it.
    System.setProperty(
        RemotingCommand.REMOTING_VERSION_KEY, String.valueOf(MQVersion.CURRENT_VERSION));
    // Three servers would each make a certificate of their own first, which takes seconds.
    TlsSystemConfig.tlsMode = TlsMode.DISABLED;
    OwnThreads threads = new OwnThreads("broker-" + endpoint.brokerPort());
    return threads.call(
        () -> {
          BrokerNode node =
              new BrokerNode(
                  nameServer(endpoint, store), broker(endpoint, store, settings), threads);
          try {
            node.start(store);
            return node;
          } catch (Exception e) {
            node.close();
            throw e;
          }
        });
  }

  private void start(Path store) throws Exception {
    nameServer.initialize();
    nameServer.start();
    if (!initializeAwayFromHome(store)) {
      throw new IllegalStateException("The broker refuses its store " + store);
    }
    broker.start();
    awaitRegistration();
  }

  /**
   * Initializes the broker with its store as the user's home. The broker always opens a RocksDB,
   * whose log goes into the user's home, and no setting changes that.
   */
  private boolean initializeAwayFromHome(Path store) throws CloneNotSupportedException {
    synchronized (BrokerNode.class) {
      String home = System.setProperty("user.home", store.toString());
      try {
        return broker.initialize();
      } finally {
        System.setProperty("user.home", home);
      }
    }
  }

  private static NamesrvController nameServer(Endpoint endpoint, Path store) {
    NamesrvConfig config = new NamesrvConfig();
    config.setRocketmqHome(store.toString());
    config.setKvConfigPath(store.resolve("kvConfig.json").toString());
    config.setConfigStorePath(store.resolve("namesrv.properties").toString());
    NettyServerConfig network = new NettyServerConfig();
    network.setBindAddress(Endpoint.HOST);
    network.setListenPort(endpoint.nameServerPort());
    return new NamesrvController(config, network);
  }

  private static BrokerController broker(Endpoint endpoint, Path store, BrokerSettings settings) {
    BrokerConfig config = new BrokerConfig();
    MessageStoreConfig storeConfig = new MessageStoreConfig();
    NettyServerConfig network = new NettyServerConfig();
    apply(settings, config, storeConfig, network);
    config.setBrokerClusterName(Endpoint.CLUSTER);
    config.setBrokerName(Endpoint.BROKER);
    config.setBrokerIP1(Endpoint.HOST);
    config.setBrokerIP2(Endpoint.HOST);
    config.setNamesrvAddr(endpoint.nameServer());
    config.setRocketmqHome(store.toString());
    config.setBrokerConfigPath(store.resolve("broker.properties").toString());
    storeConfig.setStorePathRootDir(store.toString());
    storeConfig.setStorePathCommitLog(store.resolve("commitlog").toString());
    network.setBindAddress(Endpoint.HOST);
    network.setListenPort(endpoint.brokerPort());
    return new BrokerController(config, network, new NettyClientConfig(), storeConfig);
  }

  private static void apply(BrokerSettings settings, Object... configs) {
    Properties wanted = new Properties();
    wanted.putAll(settings.properties());
    Properties known = new Properties();
    for (Object config : configs) {
      // RocketMQ passes over in silence what a class does not have.
      MixAll.properties2Object(wanted, config);
      known.putAll(MixAll.object2Properties(config));
    }
    for (String name : wanted.stringPropertyNames()) {
      if (!known.containsKey(name)) {
        throw new IllegalArgumentException("A broker has no property " + name);
      }
    }
  }

  /**
   * Registers the broker again and again until the name server lists it. The broker's own first try
   * reaches nobody, since its client learns in the background which name servers are there, and its
   * second comes 10 s later.
   */
  private void awaitRegistration() {
    await("registration of the broker at the name server")
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              broker.registerBrokerAll(true, false, true);
              return nameServer
                  .getRouteInfoManager()
                  .getAllClusterInfo()
                  .getBrokerAddrTable()
                  .containsKey(Endpoint.BROKER);
            });
  }

  /** Writes to disk what the broker itself writes only every few seconds: messages, offsets. */
  void flush() {
    broker.getMessageStore().flush();
    broker.getConsumerOffsetManager().persist();
    broker.getScheduleMessageService().persist();
  }

  @Override
  public void close() {
    MessageStore store = broker.getMessageStore();
    if (store != null) {
      shutDownInterrupted(store);
    }
    threads.interruptWhile(
        () -> {
          broker.shutdown();
          nameServer.shutdown();
        });
    if (store != null) {
      store.destroy();
    }
  }

  /**
   * Shuts the store down before the broker, and interrupted: its shutdown waits for seconds, and
   * then sleeps for three more, unless its thread is interrupted. The broker's own shutdown of the
   * store then finds nothing to do.
   */
  private static void shutDownInterrupted(MessageStore store) {
    Thread.currentThread().interrupt();
    store.shutdown();
    Thread.interrupted();
  }
}
