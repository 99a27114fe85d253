package io.txbox.rocketmq;

import io.txbox.internal.Require;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQClientException;

/** Says more about a subscription than its topic, keys and handler. Not thread-safe. */
public final class Subscription {
  private final String topic;
  private String scope;
  private String tags = "*";

  Subscription(String topic) {
    this.topic = checked(Require.text("topic", topic));
    this.scope = topic;
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
    this.scope = Require.text("scope", scope);
    return this;
  }

  String topic() {
    return topic;
  }

  String scope() {
    return scope;
  }

  String tags() {
    return tags;
  }
}
