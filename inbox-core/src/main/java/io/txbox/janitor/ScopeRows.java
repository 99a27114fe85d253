package io.txbox.janitor;

import io.txbox.internal.database.Database;
import io.txbox.store.InboxTable;
import io.txbox.store.PurgeBatch;
import io.txbox.store.RowState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Looks at the rows of a scope, by the index that the purge goes by, and changes none. */
final class ScopeRows {
  /** The states of rows that go one day. */
  static final List<RowState> MAY_GO = List.of(RowState.PROCESSED, RowState.DISCARDED);

  private final InboxTable inbox;
  private final short scopeId;
  private final DSLContext tx;

  ScopeRows(Database database, short scopeId, DSLContext tx) {
    this.inbox = database.schema().inbox();
    this.scopeId = scopeId;
    this.tx = tx;
  }

  /** Returns when the oldest row that goes one day was processed. */
  Optional<Instant> oldest() {
    return oldest(any -> PurgeBatch.FROM_THE_FIRST);
  }

  /**
   * Returns for how long the oldest row could have gone by a horizon.
   *
   * @param from where to look from, in each state
   */
  Optional<Duration> oldestExpired(@Nullable Instant horizon, Function<RowState, Instant> from) {
    return horizon == null
        ? Optional.empty()
        : oldest(from).filter(horizon::isAfter).map(oldest -> Duration.between(oldest, horizon));
  }

  private Optional<Instant> oldest(Function<RowState, Instant> from) {
    return MAY_GO.stream()
        .flatMap(state -> oldest(state, from.apply(state)).stream())
        .min(Instant::compareTo);
  }

  /** Returns when the oldest row in a state was processed that was so then or later. */
  Optional<Instant> oldest(RowState state, Instant from) {
    return tx.select(inbox.processedAt)
        .from(inbox)
        .where(of(state))
        .and(inbox.processedAt.ge(from))
        .orderBy(inbox.processedAt)
        .limit(1)
        .fetchOptional(inbox.processedAt);
  }

  /** Counts the rows that go by a horizon, and not by an earlier one; no more than so many. */
  PurgePreview.Rows count(@Nullable Instant from, Instant before, int most) {
    Condition range = inbox.processedAt.lt(before);
    Condition between = from == null ? range : range.and(inbox.processedAt.ge(from));
    long rows = 0;
    for (RowState state : MAY_GO) {
      rows +=
          tx.fetchCount(
              tx.selectOne().from(inbox).where(of(state)).and(between).limit(most + 1 - rows));
    }
    return new PurgePreview.Rows(Math.min(rows, most), rows > most);
  }

  private Condition of(RowState state) {
    return inbox.scopeId.eq(scopeId).and(inbox.state.eq(state.code()));
  }
}
