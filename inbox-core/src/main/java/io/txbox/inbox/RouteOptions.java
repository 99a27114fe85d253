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
  private final int maxAttempts;
  private final ExhaustedPolicy exhausted;

  private RouteOptions(
      String scope,
      Function<InboxMessage, Optional<String>> orderingKey,
      int maxAttempts,
      ExhaustedPolicy exhausted) {
    this.scope = scope;
    this.orderingKey = orderingKey;
    this.maxAttempts = maxAttempts;
    this.exhausted = exhausted;
  }

  /** Returns the defaults of a topic: it is its own scope, and its messages have no order. */
  static RouteOptions of(String topic) {
    return new RouteOptions(
        Require.text("topic", topic),
        message -> Optional.empty(),
        Integer.MAX_VALUE,
        ExhaustedPolicy.BLOCK);
  }

  /**
   * Sets the scope in which a dedup key is unique. Default: the topic. Topics that share a scope
   * share their keys: a message that moved to another topic is still the same.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public RouteOptions scope(String scope) {
    return new RouteOptions(Require.text("scope", scope), orderingKey, maxAttempts, exhausted);
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
    return new RouteOptions(
        scope, Objects.requireNonNull(orderingKey, "orderingKey"), maxAttempts, exhausted);
  }

  /**
   * Sets at how many attempts a message may fail, and what becomes of it then. Default: {@link
   * ExhaustedPolicy#BLOCK}, as often as it is delivered.
   *
   * @param maxAttempts by {@link InboxMessage#attempt()}
   * @throws IllegalArgumentException if it is below 1
   */
  public RouteOptions maxAttempts(int maxAttempts, ExhaustedPolicy then) {
    return new RouteOptions(
        scope,
        orderingKey,
        Require.atLeast("maxAttempts", 1, maxAttempts),
        Objects.requireNonNull(then, "then"));
  }

  /** Returns the scope. */
  public String scope() {
    return scope;
  }

  ExhaustedPolicy exhausted() {
    return exhausted;
  }

  /** Says whether a message that has failed is not to be tried again. */
  boolean isExhausted(InboxMessage message) {
    return exhausted != ExhaustedPolicy.BLOCK && message.attempt() >= maxAttempts;
  }

  Optional<String> orderingKeyOf(InboxMessage message) {
    return orderingKey.apply(message);
  }
}
