package io.txbox;

import java.util.Objects;

/**
 * Identifies a message: two messages are the same if and only if their dedup keys are equal, in
 * every character (invariant EXACT-KEY).
 *
 * @param consumerGroup the consumer group; each group handles a message for itself
 * @param scope the original topic, unless the subscription names another scope
 * @param value what the {@link DedupKeyExtractor} found, as it is: no case folding, trimming,
 *     normalisation or truncation
 */
public record DedupKey(String consumerGroup, String scope, String value) {
  public DedupKey {
    Objects.requireNonNull(consumerGroup, "consumerGroup");
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(value, "value");
  }

  @Override
  public String toString() {
    return consumerGroup + "/" + scope + "/" + value;
  }
}
