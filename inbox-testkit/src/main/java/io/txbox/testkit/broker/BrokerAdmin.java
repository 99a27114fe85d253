package io.txbox.testkit.broker;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.exception.OffsetNotFoundException;
import org.apache.rocketmq.client.impl.ClientRemotingProcessor;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.protocol.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.protocol.route.QueueData;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.jspecify.annotations.Nullable;

/** Asks and tells a broker over the wire, so that it does not matter in which JVM it runs. */
final class BrokerAdmin implements AutoCloseable {

  private static final long TIMEOUT_MS = Duration.ofSeconds(10).toMillis();

  private final Endpoint endpoint;
  private final MQClientAPIImpl api;

  BrokerAdmin(Endpoint endpoint) {
    this.endpoint = endpoint;
    this.api =
        new MQClientAPIImpl(
            new NettyClientConfig(), new ClientRemotingProcessor(null), null, new ClientConfig());
    api.updateNameServerAddressList(endpoint.nameServer());
    api.start();
  }

  void createTopic(TopicConfig topic) {
    tell(
        "create the topic " + topic.getTopicName(),
        () -> api.createTopic(endpoint.broker(), "", topic, TIMEOUT_MS));
  }

  /** Returns whether the name server, which all clients ask, knows the topic with these queues. */
  boolean knowsRoute(String topic, int queues) {
    return readQueues(topic) >= queues;
  }

  /** Returns the number of queues, 0 for a topic that the name server does not know. */
  int readQueues(String topic) {
    return ask(
        "find the topic " + topic,
        () -> {
          try {
            return api.getTopicRouteInfoFromNameServer(topic, TIMEOUT_MS).getQueueDatas().stream()
                .mapToInt(QueueData::getReadQueueNums)
                .sum();
          } catch (MQClientException e) {
            if (e.getResponseCode() != ResponseCode.TOPIC_NOT_EXIST) {
              throw e;
            }
            return 0;
          }
        });
  }

  OptionalLong committedOffset(String group, String topic, int queue) {
    QueryConsumerOffsetRequestHeader header = new QueryConsumerOffsetRequestHeader();
    header.setConsumerGroup(group);
    header.setTopic(topic);
    header.setQueueId(queue);
    // Otherwise a broker that still has the queue's first message in memory says 0 for "none".
    header.setSetZeroIfNotFound(false);
    return ask(
        "read the offset of " + group,
        () -> {
          try {
            return OptionalLong.of(api.queryConsumerOffset(endpoint.broker(), header, TIMEOUT_MS));
          } catch (OffsetNotFoundException none) {
            return OptionalLong.empty();
          }
        });
  }

  void commitOffset(String group, String topic, int queue, long offset) {
    UpdateConsumerOffsetRequestHeader header = new UpdateConsumerOffsetRequestHeader();
    header.setConsumerGroup(group);
    header.setTopic(topic);
    header.setQueueId(queue);
    header.setCommitOffset(offset);
    tell(
        "set the offset of " + group,
        () -> api.updateConsumerOffset(endpoint.broker(), header, TIMEOUT_MS));
  }

  long maxOffset(String topic, int queue) {
    return ask(
        "read the end of " + topic,
        () -> api.getMaxOffset(endpoint.broker(), queue(topic, queue), TIMEOUT_MS));
  }

  long minOffset(String topic, int queue) {
    return ask(
        "read the start of " + topic,
        () -> api.getMinOffset(endpoint.broker(), queue(topic, queue), TIMEOUT_MS));
  }

  void rewindOffsets(String group, String topic) {
    tell(
        "rewind the offsets of " + group,
        () -> api.invokeBrokerToResetOffset(endpoint.broker(), topic, group, 0, true, TIMEOUT_MS));
  }

  void deleteGroup(String group) {
    tell(
        "delete the group " + group,
        () -> api.deleteSubscriptionGroup(endpoint.broker(), group, true, TIMEOUT_MS));
  }

  SubscriptionGroupConfig group(String group) {
    return ask(
        "read the group " + group,
        () -> {
          try {
            return api.getSubscriptionGroupConfig(endpoint.broker(), group, TIMEOUT_MS);
          } catch (MQBrokerException e) {
            if (e.getResponseCode() != ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST) {
              throw e;
            }
            SubscriptionGroupConfig fresh = new SubscriptionGroupConfig();
            fresh.setGroupName(group);
            return fresh;
          }
        });
  }

  void configureGroup(String group, Consumer<SubscriptionGroupConfig> change) {
    SubscriptionGroupConfig config = group(group);
    change.accept(config);
    tell(
        "change the group " + group,
        () -> api.createSubscriptionGroup(endpoint.broker(), config, TIMEOUT_MS));
  }

  @Nullable String property(String name) {
    return ask("read the configuration", () -> api.getBrokerConfig(endpoint.broker(), TIMEOUT_MS))
        .getProperty(name);
  }

  void configure(String name, String value) {
    Properties changed = new Properties();
    changed.setProperty(name, value);
    tell("set " + name, () -> api.updateBrokerConfig(endpoint.broker(), changed, TIMEOUT_MS));
  }

  @Override
  public void close() {
    api.shutdown();
  }

  private static MessageQueue queue(String topic, int queue) {
    return new MessageQueue(topic, Endpoint.BROKER, queue);
  }

  private void tell(String what, Order order) {
    ask(
        what,
        () -> {
          order.give();
          return true;
        });
  }

  private <T> T ask(String what, Callable<T> question) {
    try {
      return question.call();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted: could not " + what, e);
    } catch (Exception e) {
      throw new IllegalStateException("Could not " + what + " at " + endpoint.broker(), e);
    }
  }

  private interface Order {
    void give() throws Exception;
  }
}
