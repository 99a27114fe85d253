package io.txbox.inbox;

import io.txbox.DedupKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this thread's transactions hold while a handler runs. A handler that hands a
 * message with one of them to an inbox would wait for itself, and no database sees that.
 */
final class HeldKeys {
  private static final ThreadLocal<HeldKeys> OF_THREAD = new ThreadLocal<>();

  private final @Nullable HeldKeys outer = OF_THREAD.get();
  private final Set<DedupKey> keys = new HashSet<>();

  private HeldKeys(List<Incoming> messages) {
    messages.forEach(incoming -> keys.add(incoming.key()));
  }

  /** Notes that this thread holds the keys of messages, until {@link #release()}. */
  static HeldKeys of(List<Incoming> messages) {
    HeldKeys held = new HeldKeys(messages);
    OF_THREAD.set(held);
    return held;
  }

  /**
   * Refuses what would wait for itself, or may do so: a transaction that holds the keys of many
   * messages may wait for one that another such transaction holds, which waits for this one.
   *
   * @throws IllegalStateException if a transaction of this thread holds the key, or many keys
   */
  static void refuse(DedupKey key) {
    for (HeldKeys held = OF_THREAD.get(); held != null; held = held.outer) {
      if (held.keys.size() > 1) {
        throw new IllegalStateException(
            "Inbox.receive was called by a handler that shares its transaction with other messages;"
                + " its own message runs by itself next, where that is possible");
      }
      if (held.keys.contains(key)) {
        throw new IllegalStateException(
            "Inbox.receive was called by a handler, for the dedup key "
                + key
                + ", which the handler's own transaction holds: it would wait for itself for ever."
                + " Send a message instead, or do in this transaction what is to be done");
      }
    }
  }

  /** Ends that. */
  void release() {
    if (outer == null) {
      OF_THREAD.remove();
    } else {
      OF_THREAD.set(outer);
    }
  }
}
