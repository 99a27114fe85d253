package io.txbox.janitor;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What the brokers of a consumer group keep and delay: the maxima over all of them.
 *
 * @param storage how long the brokers were told to keep a message; they may keep it for longer
 * @param retries how long a message can be on its way through all redeliveries, not counting its
 *     handler
 * @param redeliveries how many these are
 * @param longestDelay the longest delay that a sender can ask for
 * @param skew the brokers' clock minus ours, the one that is furthest from zero; empty if it cannot
 *     be told
 */
public record BrokerTimes(
    Duration storage,
    Duration retries,
    int redeliveries,
    Duration longestDelay,
    Optional<Duration> skew) {
  public BrokerTimes {
    Objects.requireNonNull(storage, "storage");
    Objects.requireNonNull(retries, "retries");
    Objects.requireNonNull(longestDelay, "longestDelay");
    Objects.requireNonNull(skew, "skew");
  }
}
