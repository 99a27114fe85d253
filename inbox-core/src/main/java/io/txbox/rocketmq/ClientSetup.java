package io.txbox.rocketmq;

import io.txbox.SetupException;
import io.txbox.internal.Require;
import io.txbox.internal.lane.LaneSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets RocketMQ's client as an inbox needs it, and refuses settings that lose messages. */
final class ClientSetup {
  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  /**
   * The client's sweep sends back messages whose handler runs for longer than consumeTimeout, while
   * it still runs, and lets offsets pass them. It is put off for longer than any process lives.
   */
  private static final Duration NO_SWEEP = Duration.ofDays(3650);

  /** The retry topic of a new group is found by polling; 30 s would delay the first retry. */
  private static final Duration ROUTE_POLL = Duration.ofSeconds(1);

  /** How long the client's shutdown waits for its threads; ours have drained by then. */
  private static final Duration SHUTDOWN_WAIT = Duration.ofMillis(300);

  /**
   * A message that waits for long must not stop its queue: by default the client pulls no further
   * than 2,000 messages past the oldest that it has. This is the most that it takes.
   */
  private static final int WIDEST_SPAN = 65_535;

  private static final String ADDRESS = "([^:;,/\\s\\[\\]]+|\\[[0-9a-fA-F:.]+\\]):\\d{1,5}";

  private static final Pattern ADDRESSES = Pattern.compile(ADDRESS + "(;" + ADDRESS + ")*;?");

  /** Threads only wait for lanes; more than this many wait no better. */
  private static final int MAX_THREADS = 64;

  private ClientSetup() {}

  /** Returns the address of name servers. */
  static String nameServer(String address) {
    if (!ADDRESSES.matcher(Require.text("nameServer", address)).matches()) {
      throw new IllegalArgumentException(
          "nameServer must be host:port, several separated by ';', but was '" + address + "'");
    }
    return address;
  }

  static DefaultMQPushConsumer client(
      String consumerGroup, LaneSettings lanes, @Nullable RPCHook rpcHook) {
    int batch = Math.max(1, lanes.maxBatch() / 8);
    int threads = Math.min(MAX_THREADS, 2 * lanes.lanes() * lanes.maxBatch() / batch);
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(consumerGroup, rpcHook);
    client.setInstanceName(consumerGroup + "-" + UUID.randomUUID());
    client.setConsumeThreadMin(threads);
    client.setConsumeThreadMax(threads);
    client.setConsumeMessageBatchMaxSize(batch);
    client.setConsumeConcurrentlyMaxSpan(WIDEST_SPAN);
    client.setConsumeTimeout(NO_SWEEP.toMinutes());
    client.setPollNameServerInterval((int) ROUTE_POLL.toMillis());
    client.setAwaitTerminationMillisWhenShutdown(SHUTDOWN_WAIT.toMillis());
    return client;
  }

  /** Checks what a customizer made of the client. */
  static void check(
      DefaultMQPushConsumer client,
      String consumerGroup,
      boolean orderly,
      Collection<Subscription> subscriptions) {
    if (client.getNamesrvAddr() == null || client.getNamesrvAddr().isBlank()) {
      throw new SetupException("nameServer is missing: set it by nameServer(\"host:9876\")");
    }
    refuse(
        client.getMessageModel() != MessageModel.CLUSTERING,
        "messageModel must be CLUSTERING, but is "
            + client.getMessageModel()
            + ": in broadcasting a failed message is dropped, and instances that share a database"
            + " would take each other's copies for duplicates. Give each instance a consumer group"
            + " of its own instead");
    refuse(
        !client.getConsumerGroup().equals(consumerGroup),
        "consumerGroup must stay '"
            + consumerGroup
            + "', but a customizer made it '"
            + client.getConsumerGroup()
            + "': name it in builder(…)");
    refuse(
        client.getMessageListener() != null,
        "messageListener must not be set: the handlers of subscribe(…) are called by txbox's own");
    if (orderly && client.getMaxReconsumeTimes() >= 0) {
      subscriptions.forEach(subscription -> checkAttempts(subscription, client));
      // At its limit the client gives up, and gives up again, on all messages of a list.
      client.setConsumeMessageBatchMaxSize(1);
    }
  }

  private static void checkAttempts(Subscription subscription, DefaultMQPushConsumer client) {
    long most = client.getMaxReconsumeTimes() + 1L;
    subscription
        .attemptsBeforeParked()
        .ifPresent(
            attempts ->
                refuse(
                    attempts > most,
                    "maxAttempts of topic '"
                        + subscription.topic()
                        + "' is "
                        + attempts
                        + ", but a customizer set the client's maxReconsumeTimes to "
                        + client.getMaxReconsumeTimes()
                        + ", so that a message goes to the dead-letter topic after "
                        + most
                        + " attempts and is never parked: leave maxReconsumeTimes as it is"));
  }

  /** Returns the attempt after which RocketMQ puts a message into the dead-letter topic. */
  static int lastAttempt(DefaultMQPushConsumer client, boolean orderly) {
    int redeliveries = client.getMaxReconsumeTimes();
    if (redeliveries >= 0) {
      return redeliveries + 1;
    }
    return orderly ? Integer.MAX_VALUE : RocketMqProgress.DEFAULT_RECONSUME_TIMES + 1;
  }

  private static void refuse(boolean refused, String why) {
    if (refused) {
      throw new SetupException(why);
    }
  }

  /**
   * Refuses a consumer group without a retry queue: its brokers answer that they took a failed
   * message back, and drop it. A broker that cannot be asked is warned about.
   */
  @SuppressWarnings("deprecation") // A namespace of the old kind is still in use; none is assumed.
  static void checkGroup(
      DefaultMQPushConsumer client, @Nullable RPCHook rpcHook, Collection<String> topics) {
    String group = client.withNamespace(client.getConsumerGroup());
    try (BrokerAdmin admin = new BrokerAdmin(client, rpcHook)) {
      for (String topic : topics) {
        for (Master broker : admin.route(client.withNamespace(topic)).queues().keySet()) {
          int retryQueues = admin.group(broker, group).getRetryQueueNums();
          refuse(
              retryQueues < 1,
              "retryQueueNums of consumer group '"
                  + group
                  + "' is "
                  + retryQueues
                  + " on broker "
                  + broker
                  + ", so that the broker drops failed messages: set it to 1 (mqadmin"
                  + " updateSubGroup -q 1)");
        }
      }
    } catch (RemotingException | MQClientException | MQBrokerException e) {
      log.warn(
          "{} - The brokers of {} could not be asked about the consumer group. If its"
              + " retryQueueNums is 0 there, failed messages are lost: {}",
          group,
          topics,
          e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SetupException("Interrupted while the brokers were asked about the group", e);
    }
  }
}
