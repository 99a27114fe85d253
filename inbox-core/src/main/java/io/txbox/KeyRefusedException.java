package io.txbox;

import org.jspecify.annotations.Nullable;

/**
 * Says that a message has no usable dedup key, so that it cannot be decided whether it is new
 * (invariant FAIL-CLOSED). Its handler did not run.
 */
public final class KeyRefusedException extends DeliveryException {
  private final Reason reason;

  /** Makes an exception for a message in which an extractor found no usable key. */
  public KeyRefusedException(
      InboxMessage delivered, Reason reason, DedupKeyExtractor keys, @Nullable Throwable cause) {
    super(delivered, reason.text + " (looked for: " + keys + ")", cause);
    this.reason = reason;
  }

  /** Returns why the key was refused. */
  public Reason reason() {
    return reason;
  }

  /** Why a message has no usable dedup key. */
  public enum Reason {
    /** The extractor returned nothing. */
    MISSING("The message has no dedup key"),
    /** The extractor returned an empty text, or one of white space only. */
    BLANK("The message has a blank dedup key"),
    /** The extractor threw, or returned null. */
    EXTRACTOR_FAILED("The dedup key extractor failed");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }
}
