package io.txbox.rocketmq;

import io.txbox.internal.Require;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQClientException;

/** Refuses names that RocketMQ's client refuses later, and in words of its own. */
final class Names {
  private Names() {}

  /** Returns the name of a topic. */
  static String topic(String topic) {
    return checked("topic", topic, Validators::checkTopic);
  }

  /** Returns the name of a consumer group. */
  static String consumerGroup(String group) {
    return checked("consumerGroup", group, Validators::checkGroup);
  }

  private static String checked(String setting, String name, Check check) {
    try {
      check.check(Require.text(setting, name));
      return name;
    } catch (MQClientException e) {
      throw new IllegalArgumentException(
          setting + " '" + name + "' is none that RocketMQ allows: " + e.getErrorMessage(), e);
    }
  }

  @FunctionalInterface
  private interface Check {
    void check(String name) throws MQClientException;
  }
}
