package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.DedupKeyExtractor;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.KeyRefusedException.Reason;
import java.util.Optional;

/** Says who handles the messages of a topic, and what identifies them. */
record Route(String consumerGroup, String scope, DedupKeyExtractor keys, InboxHandler handler) {
  /**
   * Returns the dedup key of a message.
   *
   * @throws KeyRefusedException if it has none that is usable
   */
  DedupKey keyOf(InboxMessage message) {
    String value =
        extracted(message)
            .orElseThrow(() -> new KeyRefusedException(message, Reason.MISSING, keys, null));
    if (value.isBlank()) {
      throw new KeyRefusedException(message, Reason.BLANK, keys, null);
    }
    return new DedupKey(consumerGroup, scope, value);
  }

  @SuppressWarnings({"OptionalAssignedToNull", "ConstantValue"}) // A user's extractor may do so.
  private Optional<String> extracted(InboxMessage message) {
    Optional<String> value;
    try {
      value = keys.extract(message);
    } catch (Throwable e) { // The edge to the user's code: whatever it is, there is no key.
      throw new KeyRefusedException(message, Reason.EXTRACTOR_FAILED, keys, e);
    }
    if (value == null) {
      throw new KeyRefusedException(
          message,
          Reason.EXTRACTOR_FAILED,
          keys,
          new NullPointerException("extract returned null"));
    }
    return value;
  }
}
