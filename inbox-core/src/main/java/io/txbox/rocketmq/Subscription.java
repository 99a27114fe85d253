package io.txbox.rocketmq;

import io.txbox.InboxMessage;
import io.txbox.inbox.RouteOptions;
import io.txbox.internal.Require;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQClientException;

/** Says more about a subscription than its topic, keys and handler. Not thread-safe. */
public final class Subscription {
  private final String topic;
  private String tags = "*";
  private UnaryOperator<RouteOptions> options = UnaryOperator.identity();
  private boolean hasOrderingKey;

  Subscription(String topic) {
    this.topic = checked(Require.text("topic", topic));
  }

  private static String checked(String topic) {
    try {
      Validators.checkTopic(topic);
      return topic;
    } catch (MQClientException e) {
      throw new IllegalArgumentException(
          "topic '" + topic + "' is none that RocketMQ allows: " + e.getErrorMessage(), e);
    }
  }

  /**
   * Takes only messages with one of these tags, as RocketMQ writes it: {@code "paid || refunded"}.
   * Default: all. All instances of a consumer group must take the same tags of a topic: the broker
   * keeps one subscription for a group, and skips what the newest does not take.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public Subscription tags(String tags) {
    this.tags = Require.text("tags", tags);
    return this;
  }

  /**
   * Sets the scope in which a dedup key is unique. Default: the topic. Topics that share a scope
   * share their keys: a message that moved to another topic is still the same.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public Subscription scope(String scope) {
    String checked = Require.text("scope", scope);
    options = options.andThen(route -> route.scope(checked))::apply;
    return this;
  }

  /**
   * Sets what orders messages: those with the same ordering key are handled one after the other, as
   * they arrived, and by one lane at a time. Choose what they contend for, such as the account: no
   * two lanes then wait for each other. Default: none, messages are handled in any order.
   *
   * <p>One that fails comes again later, behind those that were after it; what needs more takes
   * {@link InboxConsumer.Builder#orderly()}, where the queue is what orders messages, so that
   * ordering keys are refused.
   *
   * @param orderingKey finds it; a message without one has no order. If it throws, the message is
   *     refused, as if its dedup key could not be found
   */
  public Subscription orderingKey(Function<InboxMessage, Optional<String>> orderingKey) {
    Objects.requireNonNull(orderingKey, "orderingKey");
    options = options.andThen(route -> route.orderingKey(orderingKey))::apply;
    hasOrderingKey = true;
    return this;
  }

  boolean hasOrderingKey() {
    return hasOrderingKey;
  }

  String topic() {
    return topic;
  }

  String tags() {
    return tags;
  }

  UnaryOperator<RouteOptions> options() {
    return options;
  }
}
