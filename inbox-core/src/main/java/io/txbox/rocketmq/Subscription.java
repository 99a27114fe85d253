package io.txbox.rocketmq;

import io.txbox.InboxMessage;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.RouteOptions;
import io.txbox.internal.Require;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Says more about a subscription than its topic, keys and handler. Not thread-safe. */
public final class Subscription {
  private final String topic;
  private String tags = "*";
  private UnaryOperator<RouteOptions> options = UnaryOperator.identity();
  private boolean hasOrderingKey;
  private int maxAttempts = Integer.MAX_VALUE;
  private ExhaustedPolicy exhausted = ExhaustedPolicy.BLOCK;

  Subscription(String topic) {
    this.topic = Names.topic(topic);
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
   * {@link InboxConsumer.Builder#orderly()}, where the queue is what orders messages, so that an
   * ordering key is refused unless {@link ExhaustedPolicy#PARK_SEQUENCE} goes by it.
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

  /**
   * Sets how often a message may be tried that fails, in a consumer that is {@link
   * InboxConsumer.Builder#orderly()}, and what becomes of it then. Default: {@link
   * ExhaustedPolicy#BLOCK}, it holds up its queue until it comes through.
   *
   * <p>Attempts are counted by the instance that has the queue: another one that takes it over
   * begins anew. What is no fault of the message, such as an outage of the database or a key that
   * is busy elsewhere, is no attempt.
   *
   * @throws IllegalArgumentException if {@code maxAttempts} is below 1
   */
  public Subscription maxAttempts(int maxAttempts, ExhaustedPolicy then) {
    this.maxAttempts = Require.atLeast("maxAttempts", 1, maxAttempts);
    this.exhausted = Objects.requireNonNull(then, "then");
    options = options.andThen(route -> route.maxAttempts(maxAttempts, then))::apply;
    return this;
  }

  /**
   * Checks that the options fit each other and how the consumer goes.
   *
   * @throws IllegalArgumentException if not
   */
  void check(boolean orderly) {
    boolean parksSequences = exhausted == ExhaustedPolicy.PARK_SEQUENCE;
    if (orderly && hasOrderingKey && !parksSequences) {
      throw new IllegalArgumentException(
          "orderly() orders messages by their queue, so that the orderingKey of topic '"
              + topic
              + "' would order nothing: leave one of them out, or set maxAttempts(…, PARK_SEQUENCE)");
    }
    if (parksSequences && !hasOrderingKey) {
      throw new IllegalArgumentException(
          "maxAttempts("
              + maxAttempts
              + ", PARK_SEQUENCE) of topic '"
              + topic
              + "' needs an orderingKey(…), which says what a sequence is; to let all others go on,"
              + " take PARK");
    }
    if (!orderly && exhausted != ExhaustedPolicy.BLOCK) {
      throw new IllegalArgumentException(
          "maxAttempts("
              + maxAttempts
              + ", "
              + exhausted
              + ") of topic '"
              + topic
              + "' is for orderly() consumers: in others a message that fails goes to the"
              + " dead-letter topic after as many attempts as the client's maxReconsumeTimes lets it"
              + " have, which customize(…) sets");
    }
  }

  /** Returns how many attempts a message may have before it is parked, if it is ever. */
  OptionalInt attemptsBeforeParked() {
    return exhausted == ExhaustedPolicy.BLOCK ? OptionalInt.empty() : OptionalInt.of(maxAttempts);
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
