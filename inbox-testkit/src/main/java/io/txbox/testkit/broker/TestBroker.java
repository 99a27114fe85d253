package io.txbox.testkit.broker;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.jspecify.annotations.Nullable;

/**
 * A RocketMQ name server with one broker, both listening on loopback only, on an own store that is
 * deleted at {@link #close}.
 *
 * <p>Thread-safe. What is asked and told goes over the wire, with a deadline of 10 s, and throws
 * {@link IllegalStateException} when it fails.
 */
public abstract sealed class TestBroker implements AutoCloseable
    permits InJvmBroker, KillableBroker {

  private static final Duration ROUTE_DEADLINE = Duration.ofSeconds(30);

  private final Endpoint endpoint;
  private final BrokerAdmin admin;
  private final AtomicInteger names = new AtomicInteger();
  private @Nullable TestProducer producer;

  TestBroker(Endpoint endpoint) {
    this.endpoint = endpoint;
    this.admin = new BrokerAdmin(endpoint);
  }

  /** Starts a broker in this JVM. */
  public static TestBroker inJvm() {
    return inJvm(BrokerSettings.defaults());
  }

  /** Starts a broker in this JVM. */
  public static TestBroker inJvm(BrokerSettings settings) {
    return InJvmBroker.start(settings);
  }

  /** Starts a broker in a JVM of its own, which can be killed. */
  public static KillableBroker inChildJvm() {
    return inChildJvm(BrokerSettings.defaults());
  }

  /** Starts a broker in a JVM of its own, which can be killed. */
  public static KillableBroker inChildJvm(BrokerSettings settings) {
    return KillableBroker.start(settings);
  }

  /** Returns the name server's address, as clients want it: {@code 127.0.0.1:20123}. */
  public final String nameServer() {
    return endpoint.nameServer();
  }

  /** Returns the broker's host. */
  public final String host() {
    return Endpoint.HOST;
  }

  /** Returns the broker's port. */
  public final int port() {
    return endpoint.brokerPort();
  }

  /** Returns the broker's name, as message queues have it. */
  public final String brokerName() {
    return Endpoint.BROKER;
  }

  /**
   * Creates a topic, and returns once the name server tells clients of it. On an existing topic it
   * changes the number of queues.
   */
  public final void createTopic(String topic, int queues) {
    admin.createTopic(new TopicConfig(topic, queues, queues));
    await("route of " + topic)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(ROUTE_DEADLINE)
        .until(() -> admin.knowsRoute(topic, queues));
  }

  /** Creates a topic that nobody else has: its name is the prefix and what makes it unique. */
  public final String newTopic(String prefix, int queues) {
    String topic = unique(prefix);
    createTopic(topic, queues);
    return topic;
  }

  /** Returns the name of a group that nobody else has; the broker creates it when it is used. */
  public final String newGroup(String prefix) {
    return unique(prefix);
  }

  private String unique(String prefix) {
    return prefix + "-" + endpoint.brokerPort() + "-" + names.incrementAndGet();
  }

  /** Returns the offset that the group has committed to the broker, empty if it never did. */
  public final OptionalLong committedOffset(String group, String topic, int queue) {
    return admin.committedOffset(group, topic, queue);
  }

  /** Returns the offset that the queue's next message gets. */
  public final long maxOffset(String topic, int queue) {
    return admin.maxOffset(topic, queue);
  }

  /**
   * Sets the group's offset on one queue. Running consumers of the group do not notice, and
   * overwrite it within 5 s: stop them before.
   */
  public final void setOffset(String group, String topic, int queue, long offset) {
    admin.commitOffset(group, topic, queue, offset);
  }

  /** Sets the group's offsets on all queues of the topic, as {@link #setOffset} does. */
  public final void resetOffsets(String group, String topic, long offset) {
    int queues = admin.readQueues(topic);
    for (int queue = 0; queue < queues; queue++) {
      setOffset(group, topic, queue, offset);
    }
  }

  /**
   * Sets the group's offsets on all queues of the topic back to the topic's beginning while its
   * consumers run, as an operator does by {@code mqadmin resetOffsetByTime}. The broker tells the
   * consumers, which begin again about 10 s later (RocketMQ's client waits for what it works on).
   */
  public final void rewindOffsets(String group, String topic) {
    admin.rewindOffsets(group, topic);
  }

  /**
   * Deletes the group and all offsets it has committed, as if it had never consumed. Stop its
   * consumers before.
   */
  public final void deleteOffsets(String group) {
    admin.deleteGroup(group);
  }

  /**
   * Returns the group's settings at the broker; a group that the broker does not know has defaults.
   */
  public final SubscriptionGroupConfig group(String group) {
    return admin.group(group);
  }

  /**
   * Changes the group's settings at the broker, and creates it if need be: {@code retryQueueNums},
   * for example. The broker prefers the number of retries that a consumer asks for, which is 16 for
   * one that was told nothing, to its own {@code retryMaxTimes}.
   */
  public final void configureGroup(String group, Consumer<SubscriptionGroupConfig> change) {
    admin.configureGroup(group, change);
  }

  /** Returns how many messages of the group the broker has given up. */
  public final long deadLetters(String group) {
    String topic = MixAll.getDLQTopic(group);
    return admin.maxOffset(topic, 0) - admin.minOffset(topic, 0);
  }

  /** Returns how many redeliveries to the group have come due so far. */
  public final long redeliveries(String group) {
    String topic = MixAll.getRetryTopic(group);
    return IntStream.range(0, group(group).getRetryQueueNums())
        .mapToLong(queue -> admin.maxOffset(topic, queue))
        .sum();
  }

  /** Returns a property of the running broker, empty if it has none of this name. */
  public final Optional<String> property(String name) {
    return Optional.ofNullable(admin.property(name));
  }

  /** Changes a property of the running broker. Not each of them is looked at again. */
  public final void configure(String name, String value) {
    admin.configure(name, value);
  }

  /**
   * Returns a producer that is the same at each call, since RocketMQ's take 3 s to shut down. It is
   * closed with the broker, and not before.
   */
  public final synchronized TestProducer producer() {
    if (producer == null) {
      producer = TestProducer.connect(this);
    }
    return producer;
  }

  /** Ends name server and broker and deletes the store. Idempotent. */
  @Override
  public void close() {
    closeProducer();
    admin.close();
  }

  private synchronized void closeProducer() {
    if (producer != null) {
      producer.close();
    }
  }

  /** Returns the folder with all the broker's files. */
  abstract Path store();

  final Endpoint endpoint() {
    return endpoint;
  }
}
