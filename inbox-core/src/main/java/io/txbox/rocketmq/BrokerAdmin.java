package io.txbox.rocketmq;

import java.io.UnsupportedEncodingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.admin.OffsetWrapper;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.jspecify.annotations.Nullable;

/**
 * Asks brokers about themselves, by calls of the client library that its consumers do not offer.
 * Each call ends within {@link #TIMEOUT}. Uses connections of its own. Not thread-safe.
 */
final class BrokerAdmin implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final MQClientInstance client;
  private final MQClientAPIImpl api;

  BrokerAdmin(ClientConfig config, @Nullable RPCHook rpcHook) {
    ClientConfig own = config.cloneClientConfig();
    own.setInstanceName(own.getInstanceName() + "-admin");
    client = new MQClientInstance(own, 0, own.buildMQClientId(), rpcHook);
    api = client.getMQClientAPIImpl();
    api.start();
  }

  /** Returns where the topic's queues are; throws if the name server knows no such topic. */
  TopicRoute route(String topic) throws RemotingException, MQClientException, InterruptedException {
    return TopicRoute.of(api.getTopicRouteInfoFromNameServer(topic, TIMEOUT.toMillis()));
  }

  /** Returns where the topic's queues are: nowhere, if the name server knows no such topic. */
  TopicRoute routeIfAny(String topic)
      throws RemotingException, MQClientException, InterruptedException {
    try {
      return route(topic);
    } catch (MQClientException e) {
      if (e.getResponseCode() != ResponseCode.TOPIC_NOT_EXIST) {
        throw e;
      }
      return TopicRoute.NONE;
    }
  }

  /** Returns what a broker knows of a consumer group; it makes one up for a new group. */
  SubscriptionGroupConfig group(Master broker, String consumerGroup)
      throws RemotingException, MQBrokerException, InterruptedException {
    return api.getSubscriptionGroupConfig(broker.address(), consumerGroup, TIMEOUT.toMillis());
  }

  /**
   * Returns the ends and the group's offsets of all queues of these topics that a broker has. Asked
   * for a list of topics, rather than for one, a broker does not leave out those to which no
   * consumer that is connected subscribes.
   */
  Map<MessageQueue, OffsetWrapper> offsets(Master broker, String consumerGroup, List<String> topics)
      throws RemotingException, MQBrokerException, InterruptedException {
    return api.getConsumeStats(broker.address(), consumerGroup, topics, TIMEOUT.toMillis())
        .getOffsetTable();
  }

  /** Returns all that a broker was told, and its defaults for what it was not. */
  Properties properties(Master broker)
      throws RemotingException,
          MQBrokerException,
          InterruptedException,
          UnsupportedEncodingException {
    return api.getBrokerConfig(broker.address(), TIMEOUT.toMillis());
  }

  /**
   * Returns what a broker says of its state: since when it runs, and for how long, among others.
   */
  Map<String, String> runtime(Master broker)
      throws RemotingException, MQBrokerException, InterruptedException {
    return api.getBrokerRuntimeInfo(broker.address(), TIMEOUT.toMillis()).getTable();
  }

  @Override
  public void close() {
    api.shutdown();
    // It has run since the constructor; shutdown() would only end it after a start().
    client.getScheduledExecutorService().shutdownNow();
  }
}
