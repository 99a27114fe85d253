package io.txbox;

import java.util.Optional;

/**
 * Finds what makes a message the message it is: usually a business id that the sender keeps stable
 * over every resend.
 *
 * <p>Called from several threads at once. It may be called more than once for a message and must
 * give the same answer each time. A message for which it returns nothing, a blank text, or throws
 * is refused: its handler does not run and it is not acknowledged.
 *
 * @see DedupKeys
 */
@FunctionalInterface
public interface DedupKeyExtractor {
  /**
   * Returns the message's key, of any length and with any characters.
   *
   * @param message the message
   * @return the key, or nothing if the message has none
   */
  Optional<String> extract(InboxMessage message);
}
