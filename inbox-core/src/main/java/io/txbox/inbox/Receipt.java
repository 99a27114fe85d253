package io.txbox.inbox;

import io.txbox.DedupKey;
import java.util.Optional;

/**
 * Proves that a message need not be delivered again: its effects are committed. There is no receipt
 * without that (invariant ACK-AFTER-COMMIT).
 *
 * @param key the message's dedup key
 * @param duplicateCause why the handler did not run, if it did not
 */
public record Receipt(DedupKey key, Optional<DuplicateCause> duplicateCause) {
  static Receipt processed(DedupKey key) {
    return new Receipt(key, Optional.empty());
  }

  static Receipt duplicate(DedupKey key, DuplicateCause cause) {
    return new Receipt(key, Optional.of(cause));
  }

  /** Says whether the handler ran, now, and committed. */
  public boolean isProcessed() {
    return duplicateCause.isEmpty();
  }

  /** Says whether the message had been handled before. */
  public boolean isDuplicate() {
    return duplicateCause.isPresent();
  }
}
