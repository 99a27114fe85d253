package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.InboxMessage;
import io.txbox.inbox.Sequence.Place;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way in: what it is, what identifies it, who handles it, and what it follows.
 *
 * @param orderingKey what orders it by the user's will, if anything does
 * @param place its place in a sequence, if it is part of one
 */
record Incoming(
    InboxMessage message,
    DedupKey key,
    Route route,
    @Nullable String orderingKey,
    @Nullable Place place) {
  /** Gives it a place in a sequence, which orders it. */
  Incoming at(Place place) {
    return new Incoming(message, key, route, orderingKey, place);
  }

  /** Returns what orders it, if anything does: its sequence, or else its ordering key. */
  @Nullable String order() {
    return place == null ? orderingKey : place.sequence().order();
  }

  /** Says whether it may have no further attempt once this one has failed. */
  boolean isExhausted() {
    return route.options().isExhausted(message);
  }

  /** Says whether one before it in its sequence has failed. */
  boolean isHeldBack() {
    return place != null && place.sequence().holdsBack(place.position());
  }

  /** Holds back those behind it in its sequence, if it is part of one. */
  void holdBackTheRest() {
    if (place != null) {
      place.breakOff();
    }
  }

  /** Two of the same message are two. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
