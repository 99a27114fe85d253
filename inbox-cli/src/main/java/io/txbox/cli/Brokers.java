package io.txbox.cli;

import io.txbox.janitor.GroupProgress;
import io.txbox.rocketmq.RocketMqProgress;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.rocketmq.acl.common.AclClientRPCHook;
import org.apache.rocketmq.acl.common.SessionCredentials;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQClientException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which brokers to ask how far a consumer group has consumed, and about which topics. */
final class Brokers {
  private static final String ACCESS_KEY = "TXBOX_ACCESS_KEY";
  private static final String SECRET_KEY = "TXBOX_SECRET_KEY";
  private static final Pattern LINK =
      Pattern.compile(
          "\\.?\\s*(?:See|For more information, please visit the url,) https?://\\S+"
              + "(?: for further details\\.?)?");

  @Option(
      names = "--name-server",
      paramLabel = "HOST:PORT",
      description = {
        "RocketMQ's name server; several are separated by ';'. Needed unless --by-wall-clock is"
            + " given. Keys for its ACL: the environment variables "
            + ACCESS_KEY
            + " and "
            + SECRET_KEY
            + "."
      })
  private @Nullable String nameServer;

  @Option(
      names = "--topic",
      split = ",",
      description = {
        "A topic that the group consumes; several: --topic=A,B or one --topic each.",
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
    topics.forEach(topic -> set("--topic", topic, Brokers::allowed));
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

  private static String allowed(String topic) {
    try {
      Validators.checkTopic(topic);
      return topic;
    } catch (MQClientException e) {
      throw new IllegalArgumentException(
          "it is none that RocketMQ allows: " + e.getErrorMessage(), e);
    }
  }

  /** RocketMQ ends what it says with a line that points to its FAQ. */
  static String withoutLinks(String said) {
    return LINK.matcher(said).replaceAll("");
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
