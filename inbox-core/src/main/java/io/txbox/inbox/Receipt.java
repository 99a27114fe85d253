package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.store.ParkReason;
import java.util.Optional;

/**
 * Proves that a message need not be delivered again: what became of it is committed. There is no
 * receipt without that (invariants ACK-AFTER-COMMIT, NOTHING-LOST).
 *
 * @param key the message's dedup key
 * @param outcome what became of it
 * @param duplicateCause why the handler did not run, if it is a duplicate
 * @param parkReason why the message was parked, if it was
 */
public record Receipt(
    DedupKey key,
    Outcome outcome,
    Optional<DuplicateCause> duplicateCause,
    Optional<ParkReason> parkReason) {
  /** What became of a message. */
  public enum Outcome {
    /** Its handler ran, now. */
    PROCESSED,
    /** A committed row for its key was there. */
    DUPLICATE,
    /** It was set aside with its payload; its handler did not run, or has failed. */
    PARKED,
    /** A policy that the user has set dropped it. */
    DISCARDED
  }

  static Receipt of(DedupKey key, Outcome outcome) {
    return new Receipt(key, outcome, Optional.empty(), Optional.empty());
  }

  static Receipt duplicate(DedupKey key, DuplicateCause cause) {
    return new Receipt(key, Outcome.DUPLICATE, Optional.of(cause), Optional.empty());
  }

  static Receipt parked(DedupKey key, ParkReason reason) {
    return new Receipt(key, Outcome.PARKED, Optional.empty(), Optional.of(reason));
  }

  /** Says whether the handler ran, now, and committed. */
  public boolean isProcessed() {
    return outcome == Outcome.PROCESSED;
  }

  /** Says whether the message had been handled, or set aside, before. */
  public boolean isDuplicate() {
    return outcome == Outcome.DUPLICATE;
  }

  /** Says whether the message was parked. */
  public boolean isParked() {
    return outcome == Outcome.PARKED;
  }

  /** Says whether the message was dropped by a policy. */
  public boolean isDiscarded() {
    return outcome == Outcome.DISCARDED;
  }
}
