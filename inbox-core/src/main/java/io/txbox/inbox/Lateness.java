package io.txbox.inbox;

import io.txbox.inbox.Receipt.Outcome;
import io.txbox.janitor.LatePolicy;
import io.txbox.store.Horizon;
import io.txbox.store.InboxRow;
import io.txbox.store.ParkReason;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * Finds messages that have no row but are so old that they may be copies of one whose row was
 * purged, and does with them what the policy says (invariant PURGE-SAFE). Thread-safe.
 */
record Lateness(Horizons horizons, LatePolicy policy, SettingAside aside) {
  /**
   * Returns how the late ones of these messages end, all of one scope, and claimed by the
   * transaction. What the policy lets be handled has an ending too, for the case that it is.
   */
  Map<Incoming, Ending.Done> endings(Map<Incoming, InboxRow> claimed, DSLContext tx) {
    Horizon horizon = horizons.of(claimed.values().iterator().next().scopeId(), tx);
    Map<Incoming, Ending.Done> endings = new LinkedHashMap<>();
    claimed.forEach(
        (incoming, row) -> {
          if (horizon.isLate(row.messageTime())) {
            Instant lateBefore = horizon.lateBefore().orElseThrow();
            Receipt receipt = end(incoming, row, lateBefore, tx);
            endings.put(
                incoming, new Ending.Done(receipt, Optional.of(lateBefore), Optional.empty()));
          }
        });
    return endings;
  }

  private Receipt end(Incoming incoming, InboxRow row, Instant lateBefore, DSLContext tx) {
    return switch (policy) {
      case PARK -> {
        String why = "its time, " + row.messageTime() + ", is before " + lateBefore;
        aside.park(incoming, row, ParkReason.LATE, why, null, tx);
        yield Receipt.parked(incoming.key(), ParkReason.LATE);
      }
      case DISCARD -> {
        aside.discard(row, tx);
        yield Receipt.of(incoming.key(), Outcome.DISCARDED);
      }
      case PROCESS -> Receipt.of(incoming.key(), Outcome.PROCESSED);
    };
  }
}
