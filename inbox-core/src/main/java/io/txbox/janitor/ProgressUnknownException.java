package io.txbox.janitor;

import org.jspecify.annotations.Nullable;

/**
 * Says which broker or topic could not be asked how far a consumer group has consumed, and why. It
 * is checked, since the answer is always the same: purge nothing, say so, and ask again later.
 */
public final class ProgressUnknownException extends Exception {
  /** Makes an exception with a message that names the broker or the topic. */
  public ProgressUnknownException(String message) {
    super(message);
  }

  /** The same, with the cause. */
  public ProgressUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
