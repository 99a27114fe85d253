package io.txbox.inbox;

import io.txbox.BatchInboxHandler;
import io.txbox.DedupKey;
import io.txbox.DedupKeyExtractor;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.KeyRefusedException.Reason;
import java.util.Optional;
import java.util.function.Function;

/**
 * Says who handles the messages of a topic, and what identifies and orders them.
 *
 * @param takesMany whether the handler takes many messages in a call
 */
record Route(
    String consumerGroup,
    DedupKeyExtractor keys,
    RouteOptions options,
    BatchInboxHandler handler,
    boolean takesMany) {
  /**
   * Returns a message with what identifies and orders it.
   *
   * @throws KeyRefusedException if it has no usable dedup key, or an extractor failed
   */
  Incoming incoming(InboxMessage message) {
    String key =
        extracted(message, keys::extract)
            .orElseThrow(() -> new KeyRefusedException(message, Reason.MISSING, keys, null));
    if (key.isBlank()) {
      throw new KeyRefusedException(message, Reason.BLANK, keys, null);
    }
    String order = extracted(message, options::orderingKeyOf).orElse(null);
    return new Incoming(
        message, new DedupKey(consumerGroup, options.scope(), key), this, order, null);
  }

  @SuppressWarnings({"OptionalAssignedToNull", "ConstantValue"}) // A user's extractor may do so.
  private Optional<String> extracted(
      InboxMessage message, Function<InboxMessage, Optional<String>> extractor) {
    Optional<String> value;
    try {
      value = extractor.apply(message);
    } catch (Throwable e) { // The edge to the user's code: whatever it is, there is no key.
      throw new KeyRefusedException(message, Reason.EXTRACTOR_FAILED, keys, Failures.printable(e));
    }
    if (value == null) {
      throw new KeyRefusedException(
          message,
          Reason.EXTRACTOR_FAILED,
          keys,
          new NullPointerException("the extractor returned null"));
    }
    return value;
  }

  /** Each is one of its own; what the user gave is not asked. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
