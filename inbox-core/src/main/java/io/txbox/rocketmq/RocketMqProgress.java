package io.txbox.rocketmq;

import io.txbox.QueueId;
import io.txbox.internal.Require;
import io.txbox.janitor.BrokerTimes;
import io.txbox.janitor.GroupProgress;
import io.txbox.janitor.ProgressUnknownException;
import io.txbox.janitor.QueueProgress;
import java.io.UnsupportedEncodingException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.admin.OffsetWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Asks RocketMQ's brokers how far a consumer group has consumed, and what they keep and delay.
 *
 * <p>Where the queues are, a name server is asked each time, and then every master broker. A broker
 * that does not answer within 3 s, or leaves out a queue that the name server knows, is asked again
 * if the name server has changed its mind meanwhile, and at most three times. If a broker's master
 * is away, nothing is known, since its slave may lack messages. Brokers need not allow more than
 * reading: the group's offsets, their own configuration and state.
 *
 * <p>What an answer says of a queue:
 *
 * <ul>
 *   <li>The group's offset is at the end of the queue: all that was stored before the question is
 *       consumed. That holds for an empty queue, too.
 *   <li>It is anywhere else: what was stored before the last consumed message is consumed, by that
 *       message's store time. Nothing is known if the broker has that message no more.
 *   <li>The group has never committed an offset in a queue that is not empty: nothing is known.
 * </ul>
 *
 * Redeliveries that are not due yet are in no queue of the group; {@link BrokerTimes#retries()}
 * says for how long that can be. A redelivery topic that a broker does not have yet has no queue
 * there. Static topics, and consumers that pop, are not supported.
 *
 * <p>Thread-safe; one question is asked at a time.
 */
public final class RocketMqProgress implements GroupProgress {
  private static final int ROUTE_ATTEMPTS = 3;

  /** What RocketMQ's client takes for its default of -1. */
  static final int DEFAULT_RECONSUME_TIMES = 16;

  private final ClientConfig config;
  private final @Nullable RPCHook rpcHook;
  private final String consumerGroup;
  private final String retryTopic;
  private final Set<String> topics;
  private final int maxReconsumeTimes;
  private final InstantSource clock;
  private @Nullable BrokerAdmin admin;
  private boolean closed;

  @SuppressWarnings("deprecation") // A namespace of the old kind is still in use; none is assumed.
  private RocketMqProgress(
      String consumerGroup,
      Collection<String> topics,
      int maxReconsumeTimes,
      ClientConfig config,
      @Nullable RPCHook rpcHook,
      InstantSource clock) {
    this.config = config.cloneClientConfig();
    this.rpcHook = rpcHook;
    this.consumerGroup = config.withNamespace(consumerGroup);
    this.retryTopic = MixAll.getRetryTopic(this.consumerGroup);
    this.topics = new LinkedHashSet<>();
    topics.forEach(topic -> this.topics.add(config.withNamespace(topic)));
    this.maxReconsumeTimes = maxReconsumeTimes < 0 ? DEFAULT_RECONSUME_TIMES : maxReconsumeTimes;
    this.clock = clock;
  }

  /**
   * Starts one for a consumer group, which need not have consumed yet.
   *
   * @param consumerGroup the consumer group
   * @return a builder, for one thread
   * @throws IllegalArgumentException if the group is blank, or none that RocketMQ allows
   */
  public static Builder builder(String consumerGroup) {
    return new Builder(consumerGroup);
  }

  /** Returns one that asks the brokers of a client about its own group. */
  static RocketMqProgress of(
      DefaultMQPushConsumer client,
      @Nullable RPCHook rpcHook,
      Collection<String> topics,
      InstantSource clock) {
    return new RocketMqProgress(
        client.getConsumerGroup(), topics, client.getMaxReconsumeTimes(), client, rpcHook, clock);
  }

  @Override
  public synchronized List<QueueProgress> queues() throws ProgressUnknownException {
    return onFreshRoutes(
        routes -> {
          List<QueueProgress> queues = new ArrayList<>();
          for (Master broker : masters(routes)) {
            queues.addAll(queues(broker, routes));
          }
          return List.copyOf(queues);
        });
  }

  private List<QueueProgress> queues(Master broker, Map<String, TopicRoute> routes)
      throws ProgressUnknownException {
    // The redelivery topic may have come to be before the name server knows.
    List<String> asked =
        routes.keySet().stream()
            .filter(topic -> topic.equals(retryTopic) || queues(routes, topic, broker) > 0)
            .toList();
    Instant before = clock.instant();
    Map<MessageQueue, OffsetWrapper> answer =
        ask("Broker " + broker, api -> api.offsets(broker, consumerGroup, asked));
    for (String topic : asked) {
      for (int number = 0; number < queues(routes, topic, broker); number++) {
        if (!answer.containsKey(new MessageQueue(topic, broker.name(), number))) {
          throw new ProgressUnknownException(
              "Broker " + broker + " says nothing about queue " + number + " of topic " + topic);
        }
      }
    }
    List<QueueProgress> queues = new ArrayList<>();
    answer.forEach(
        (queue, offsets) -> {
          if (asked.contains(queue.getTopic())) {
            queues.add(progress(queue, consumedThrough(offsets, before)));
          }
        });
    return queues;
  }

  private static int queues(Map<String, TopicRoute> routes, String topic, Master broker) {
    TopicRoute route = routes.get(topic);
    return route == null ? 0 : route.queues().getOrDefault(broker, 0);
  }

  @SuppressWarnings("deprecation") // As above: the name is given back as it was given.
  private QueueProgress progress(MessageQueue queue, Optional<Instant> consumedThrough) {
    return new QueueProgress(
        config.withoutNamespace(queue.getTopic()),
        new QueueId(queue.getBrokerName(), queue.getQueueId()),
        queue.getTopic().equals(retryTopic),
        consumedThrough);
  }

  /**
   * The broker reads the end of the queue first, then the offset, and says 0 for an offset that was
   * never committed. So an offset behind the end lags; one at the end lags nothing; and one past
   * the end was either committed between the two, in which case the message before it has a time,
   * or is of messages that the broker has lost, in which case it has none.
   */
  private static Optional<Instant> consumedThrough(OffsetWrapper offsets, Instant before) {
    if (offsets.getConsumerOffset() == offsets.getBrokerOffset()) {
      return Optional.of(before);
    }
    return offsets.getLastTimestamp() > 0
        ? Optional.of(Instant.ofEpochMilli(offsets.getLastTimestamp()))
        : Optional.empty();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Brokers may keep messages for longer than this storage time: they delete whole files, once a
   * day, and never the newest. A change of {@code messageDelayLevel} is shown at once, but brokers
   * go by it only when they start again. The skew is the smallest that agrees with what the brokers
   * say of their clocks, which is to the second; a broker that says nothing of it is left out.
   */
  @Override
  public synchronized BrokerTimes times() throws ProgressUnknownException {
    return onFreshRoutes(
        routes -> {
          BrokerTimes times =
              new BrokerTimes(
                  Duration.ZERO, Duration.ZERO, maxReconsumeTimes, Duration.ZERO, Optional.empty());
          for (Master broker : masters(routes)) {
            times = max(times, times(broker));
          }
          return times;
        });
  }

  private BrokerTimes times(Master broker) throws ProgressUnknownException {
    BrokerProperties properties =
        ask(
            "Broker " + broker,
            api -> new BrokerProperties(broker.toString(), api.properties(broker)));
    Instant asked = clock.instant();
    Map<String, String> runtime = ask("Broker " + broker, api -> api.runtime(broker));
    Instant answered = clock.instant();
    return new BrokerTimes(
        properties.storage(),
        properties.retries(maxReconsumeTimes),
        maxReconsumeTimes,
        properties.longestDelay(),
        BrokerClock.of(runtime).map(brokerClock -> brokerClock.skew(asked, answered)));
  }

  private static BrokerTimes max(BrokerTimes a, BrokerTimes b) {
    return new BrokerTimes(
        longer(a.storage(), b.storage()),
        longer(a.retries(), b.retries()),
        Math.max(a.redeliveries(), b.redeliveries()),
        longer(a.longestDelay(), b.longestDelay()),
        a.skew().isEmpty()
            ? b.skew()
            : a.skew().map(skew -> furtherFromZero(skew, b.skew().orElse(skew))));
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? b : a;
  }

  private static Duration furtherFromZero(Duration a, Duration b) {
    return a.abs().compareTo(b.abs()) < 0 ? b : a;
  }

  /** Asks on the routes of the moment, and again if they were others by the time it failed. */
  private <T> T onFreshRoutes(Question<T> question) throws ProgressUnknownException {
    Map<String, TopicRoute> routes = routes();
    for (int attempt = 1; ; attempt++) {
      try {
        return question.on(routes);
      } catch (ProgressUnknownException e) {
        Map<String, TopicRoute> fresh = attempt < ROUTE_ATTEMPTS ? routesAfter(e) : routes;
        if (fresh.equals(routes)) {
          throw e;
        }
        routes = fresh;
      }
    }
  }

  private Map<String, TopicRoute> routesAfter(ProgressUnknownException failure)
      throws ProgressUnknownException {
    try {
      return routes();
    } catch (ProgressUnknownException e) {
      failure.addSuppressed(e);
      throw failure;
    }
  }

  private Map<String, TopicRoute> routes() throws ProgressUnknownException {
    Map<String, TopicRoute> routes = new LinkedHashMap<>();
    for (String topic : topics) {
      TopicRoute route = ask("Topic " + topic, api -> api.route(topic));
      if (route.queues().isEmpty() || route.logical()) {
        throw new ProgressUnknownException(
            "Topic "
                + topic
                + (route.logical() ? " is static" : " has no queue that can be read")
                + ", so that it cannot be told how far it is consumed");
      }
      routes.put(topic, route);
    }
    routes.put(retryTopic, ask("Topic " + retryTopic, api -> api.routeIfAny(retryTopic)));
    return routes;
  }

  private static Set<Master> masters(Map<String, TopicRoute> routes) {
    Set<Master> masters = new LinkedHashSet<>();
    routes.values().forEach(route -> masters.addAll(route.queues().keySet()));
    return masters;
  }

  private <T> T ask(String whom, Call<T> call) throws ProgressUnknownException {
    if (closed) {
      throw new IllegalStateException("It is closed: build a new one");
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new ProgressUnknownException(whom + " was not asked: interrupted");
    }
    try {
      if (admin == null) {
        admin = new BrokerAdmin(config, rpcHook);
      }
      return call.ask(admin);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ProgressUnknownException(whom + " was asked: interrupted", e);
    } catch (RemotingException
        | MQClientException
        | MQBrokerException
        | UnsupportedEncodingException
        | RuntimeException e) { // An answer that is none fails in the client's parser.
      throw new ProgressUnknownException(
          whom + " cannot be asked about consumer group " + consumerGroup + ": " + e.getMessage(),
          e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (admin != null) {
      admin.close();
      admin = null;
    }
  }

  private interface Question<T> {
    T on(Map<String, TopicRoute> routes) throws ProgressUnknownException;
  }

  private interface Call<T> {
    T ask(BrokerAdmin api)
        throws RemotingException,
            MQClientException,
            MQBrokerException,
            InterruptedException,
            UnsupportedEncodingException;
  }

  /** Builds a {@link RocketMqProgress}. Not thread-safe. */
  public static final class Builder {
    private final String consumerGroup;
    private final ClientConfig config = new ClientConfig();
    private final Set<String> topics = new LinkedHashSet<>();
    private int maxReconsumeTimes = DEFAULT_RECONSUME_TIMES;
    private @Nullable RPCHook rpcHook;
    private InstantSource clock = InstantSource.system();

    private Builder(String consumerGroup) {
      this.consumerGroup = Names.consumerGroup(consumerGroup);
    }

    /**
     * Sets the name server's address, {@code host:port}; several are separated by {@code ;}.
     * Required, here or by {@link #customize}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public Builder nameServer(String address) {
      config.setNamesrvAddr(ClientSetup.nameServer(address));
      return this;
    }

    /**
     * Adds topics that the group consumes, without that of its redeliveries, which is known.
     * Required.
     *
     * @throws IllegalArgumentException if one is blank, or none that RocketMQ allows
     */
    public Builder topics(Set<String> topics) {
      topics.forEach(topic -> this.topics.add(Names.topic(topic)));
      return this;
    }

    /**
     * Sets after how many redeliveries the group's consumers give a message up. Default: 16, as in
     * RocketMQ's consumer.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxReconsumeTimes(int maxReconsumeTimes) {
      this.maxReconsumeTimes = Require.atLeast("maxReconsumeTimes", 0, maxReconsumeTimes);
      return this;
    }

    /** Sets the hook that signs each call to the brokers, for ACL. Default: none. */
    public Builder rpcHook(RPCHook rpcHook) {
      this.rpcHook = Objects.requireNonNull(rpcHook, "rpcHook");
      return this;
    }

    /** Changes RocketMQ's client at once: TLS, namespace, and all else that is not named here. */
    public Builder customize(Consumer<ClientConfig> customizer) {
      customizer.accept(config);
      return this;
    }

    /** Sets the clock that says when a question was asked. Default: the system's. */
    public Builder clock(InstantSource clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Builds it. Asks nothing yet, and starts no thread.
     *
     * @throws IllegalArgumentException if there is no name server or no topic
     */
    public RocketMqProgress build() {
      if (config.getNamesrvAddr() == null || config.getNamesrvAddr().isBlank()) {
        throw new IllegalArgumentException("nameServer is missing: set it by nameServer(…)");
      }
      if (topics.isEmpty()) {
        throw new IllegalArgumentException("topics is empty: add at least one by topics(…)");
      }
      return new RocketMqProgress(consumerGroup, topics, maxReconsumeTimes, config, rpcHook, clock);
    }
  }
}
