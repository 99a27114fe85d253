package io.txbox.cli;

import io.txbox.janitor.GroupProgress;
import io.txbox.rocketmq.RocketMqProgress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.rocketmq.acl.common.AclClientRPCHook;
import org.apache.rocketmq.acl.common.SessionCredentials;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which brokers to ask how far a consumer group has consumed, and about which topics. */
final class Brokers {
  private static final String ACCESS_KEY = "TXBOX_ACCESS_KEY";
  private static final String SECRET_KEY = "TXBOX_SECRET_KEY";

  @Option(
      names = "--name-server",
      paramLabel = "HOST:PORT",
      description = {
        "RocketMQ's name server; several are separated by ';'. Keys for its ACL: the environment",
        "variables " + ACCESS_KEY + " and " + SECRET_KEY + "."
      })
  private @Nullable String nameServer;

  @Option(
      names = "--topic",
      split = ",",
      description = {
        "A topic that the group consumes; several are possible.",
        "Default: those that the database knows."
      })
  private List<String> topics = List.of();

  @Option(
      names = "--max-reconsume-times",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "After how many redeliveries the group's consumers give up (default: ${DEFAULT-VALUE}).")
  private int maxReconsumeTimes;

  private Brokers() {}

  boolean areNamed() {
    return nameServer != null;
  }

  List<String> topics() {
    return topics;
  }

  /**
   * Refuses what can be seen to be wrong without a broker.
   *
   * @throws IllegalArgumentException if it is
   */
  void check(String consumerGroup) {
    RocketMqProgress.Builder unused = builder(consumerGroup, topics);
  }

  /** Makes what asks the brokers about these topics. */
  GroupProgress progress(String consumerGroup, Collection<String> consumed) {
    return builder(consumerGroup, consumed).build();
  }

  private RocketMqProgress.Builder builder(String consumerGroup, Collection<String> consumed) {
    RocketMqProgress.Builder builder = RocketMqProgress.builder(consumerGroup);
    if (nameServer != null) {
      set("--name-server", nameServer, builder::nameServer);
    }
    consumed.forEach(topic -> set("--topic", topic, name -> builder.topics(Set.of(name))));
    set("--max-reconsume-times", maxReconsumeTimes, builder::maxReconsumeTimes);
    String accessKey = System.getenv(ACCESS_KEY);
    String secretKey = System.getenv(SECRET_KEY);
    if ((accessKey == null) != (secretKey == null)) {
      throw new IllegalArgumentException(
          (accessKey == null ? ACCESS_KEY : SECRET_KEY)
              + " is missing in the environment, while the other key of the ACL is there: set both"
              + " or none");
    }
    if (accessKey != null && secretKey != null) {
      builder.rpcHook(new AclClientRPCHook(new SessionCredentials(accessKey, secretKey)));
    }
    return builder;
  }

  /** Names the option in what is said of its value. */
  private static <T> void set(String option, T value, Function<T, ?> setter) {
    try {
      Object unused = setter.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          option + " '" + value + "' is refused: " + e.getMessage(), e);
    }
  }
}
