package io.txbox.inbox;

import io.txbox.InboxMessage;
import io.txbox.internal.Require;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Says more about a topic than its keys and handler. Immutable. */
public final class RouteOptions {
  private final String scope;
  private final Function<InboxMessage, Optional<String>> orderingKey;

  private RouteOptions(String scope, Function<InboxMessage, Optional<String>> orderingKey) {
    this.scope = scope;
    this.orderingKey = orderingKey;
  }

  /** Returns the defaults of a topic: it is its own scope, and its messages have no order. */
  static RouteOptions of(String topic) {
    return new RouteOptions(Require.text("topic", topic), message -> Optional.empty());
  }

  /**
   * Sets the scope in which a dedup key is unique. Default: the topic. Topics that share a scope
   * share their keys: a message that moved to another topic is still the same.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public RouteOptions scope(String scope) {
    return new RouteOptions(Require.text("scope", scope), orderingKey);
  }

  /**
   * Sets what orders messages: those with the same ordering key are handled one after the other, as
   * they arrived, and by one lane at a time. Choose what they contend for, such as the account.
   * Default: none, messages are handled in any order.
   *
   * @param orderingKey finds it; a message without one has no order. If it throws, the message is
   *     refused, as if its dedup key could not be found
   */
  public RouteOptions orderingKey(Function<InboxMessage, Optional<String>> orderingKey) {
    return new RouteOptions(scope, Objects.requireNonNull(orderingKey, "orderingKey"));
  }

  /** Returns the scope. */
  public String scope() {
    return scope;
  }

  Optional<String> orderingKeyOf(InboxMessage message) {
    return orderingKey.apply(message);
  }
}
