package io.txbox.inbox;

import io.txbox.DeliveryException;
import io.txbox.store.InboxParkedTable;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.ParkReason;
import io.txbox.store.StorableText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Parks messages that have failed for the last time, and those that follow them by their ordering
 * key, where the policy says so. Thread-safe.
 */
record Exhaustion(InboxSchema schema, SettingAside aside) {
  /** Parks messages that have failed, all of one scope, and claimed by the transaction. */
  Map<Incoming, Ending.Done> park(
      Map<Incoming, InboxRow> claimed, DeliveryException failure, DSLContext tx) {
    Map<Incoming, Ending.Done> endings = new LinkedHashMap<>();
    String detail = failure.getMessage() + ": " + failure.getCause();
    claimed.forEach(
        (incoming, row) ->
            endings.put(incoming, park(incoming, row, ParkReason.EXHAUSTED, detail, failure, tx)));
    return endings;
  }

  /**
   * Parks those of these messages that follow one that is parked, all of one scope, and claimed by
   * the transaction.
   */
  Map<Incoming, Ending.Done> parkFollowers(Map<Incoming, InboxRow> claimed, DSLContext tx) {
    Map<Incoming, String> sequences = new LinkedHashMap<>();
    for (Incoming incoming : claimed.keySet()) {
      String sequence = sequence(incoming);
      if (sequence != null) {
        sequences.put(incoming, sequence);
      }
    }
    if (sequences.isEmpty()) {
      return Map.of();
    }
    short scopeId = claimed.values().iterator().next().scopeId();
    Set<String> parked = parked(scopeId, Set.copyOf(sequences.values()), tx);
    Map<Incoming, Ending.Done> endings = new LinkedHashMap<>();
    sequences.forEach(
        (incoming, sequence) -> {
          if (parked.contains(sequence)) {
            String detail = "it follows, by its ordering key " + sequence + ", one that is parked";
            InboxRow row = Objects.requireNonNull(claimed.get(incoming), "its row");
            endings.put(incoming, park(incoming, row, ParkReason.SEQUENCE, detail, null, tx));
          }
        });
    return endings;
  }

  private Set<String> parked(short scopeId, Set<String> sequences, DSLContext tx) {
    InboxParkedTable parked = schema.parked();
    return tx.selectDistinct(parked.orderingKey)
        .from(parked)
        .where(parked.scopeId.eq(scopeId))
        .and(parked.orderingKey.in(sequences))
        .and(parked.body.isNotNull())
        .fetchSet(parked.orderingKey);
  }

  private Ending.Done park(
      Incoming incoming,
      InboxRow row,
      ParkReason reason,
      String detail,
      @Nullable DeliveryException failure,
      DSLContext tx) {
    aside.park(incoming, row, reason, detail, sequence(incoming), tx);
    return new Ending.Done(
        Receipt.parked(incoming.key(), reason), Optional.empty(), Optional.ofNullable(failure));
  }

  /** Returns what is parked together with a message, as it is stored. */
  private static @Nullable String sequence(Incoming incoming) {
    String orderingKey = incoming.orderingKey();
    return orderingKey != null
            && incoming.route().options().exhausted() == ExhaustedPolicy.PARK_SEQUENCE
        ? StorableText.of(orderingKey)
        : null;
  }
}
