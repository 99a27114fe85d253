package io.txbox.rocketmq;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.jspecify.annotations.Nullable;

/**
 * Asks brokers about themselves, by calls of the client library that its consumers do not offer.
 * Uses a connection of its own. Not thread-safe.
 */
final class BrokerAdmin implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final MQClientInstance client;
  private final MQClientAPIImpl api;

  BrokerAdmin(ClientConfig config, @Nullable RPCHook rpcHook) {
    ClientConfig own = config.cloneClientConfig();
    own.setInstanceName(own.getInstanceName() + "-admin");
    client = new MQClientInstance(own, 0, own.buildMQClientId(), rpcHook);
    api = client.getMQClientAPIImpl();
    api.start();
  }

  /** Returns the addresses of the master brokers that have the topic. */
  Set<String> brokersOf(String topic)
      throws RemotingException, MQClientException, InterruptedException {
    Set<String> addresses = new LinkedHashSet<>();
    for (BrokerData broker :
        api.getTopicRouteInfoFromNameServer(topic, TIMEOUT.toMillis()).getBrokerDatas()) {
      addresses.add(broker.selectBrokerAddr());
    }
    return addresses;
  }

  /** Returns what a broker knows of a consumer group; it makes one up for a new group. */
  SubscriptionGroupConfig group(String broker, String consumerGroup)
      throws RemotingException, MQBrokerException, InterruptedException {
    return api.getSubscriptionGroupConfig(broker, consumerGroup, TIMEOUT.toMillis());
  }

  @Override
  public void close() {
    api.shutdown();
    // It has run since the constructor; shutdown() would only end it after a start().
    client.getScheduledExecutorService().shutdownNow();
  }
}
