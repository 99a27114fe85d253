package io.txbox.janitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds out what would be purged of a scope, by its horizons and what the clock shows. */
final class ScopePreview {
  /** More than one wants to know exactly; to count them all can take minutes. */
  static final int MOST = 100_000;

  private final String scope;
  private final @Nullable Instant purgeHorizon;
  private final @Nullable Instant horizon;
  private final PurgeClock.Reading clock;
  private final Duration retention;

  ScopePreview(
      String scope,
      @Nullable Instant purgeHorizon,
      @Nullable Instant horizon,
      PurgeClock.Reading clock,
      Duration retention) {
    this.scope = scope;
    this.purgeHorizon = purgeHorizon;
    this.horizon = horizon;
    this.clock = clock;
    this.retention = retention;
  }

  PurgePreview.Scope of(ScopeRows rows) {
    Optional<Instant> oldest = rows.oldest();
    Optional<Instant> next = next();
    PurgePreview.Rows now =
        purgeHorizon == null ? PurgePreview.Rows.NONE : rows.count(null, purgeHorizon, MOST);
    PurgePreview.Rows soon =
        next.map(until -> rows.count(purgeHorizon, until, MOST)).orElse(PurgePreview.Rows.NONE);
    return new PurgePreview.Scope(
        scope,
        Optional.ofNullable(purgeHorizon),
        Optional.ofNullable(horizon),
        next,
        oldest,
        now,
        soon,
        now.isNone() ? Optional.of(whyNone(oldest, !soon.isNone())) : Optional.empty());
  }

  private Optional<Instant> next() {
    Optional<Instant> wanted = clock.time().map(time -> time.minus(retention));
    return horizon == null ? wanted : Optional.of(wanted.filter(horizon::isBefore).orElse(horizon));
  }

  private String whyNone(Optional<Instant> oldest, boolean soon) {
    if (oldest.isEmpty()) {
      return "it has no row, or only parked ones, which never go";
    }
    if (soon) {
      return "its next horizon must first be announced for ten seconds";
    }
    return "its oldest row was processed at "
        + oldest.get()
        + ", and goes once the purge clock is further than that by "
        + RetentionCheck.readable(retention)
        + "; "
        + clock
            .time()
            .map(time -> "it shows " + time)
            .orElseGet(() -> "it stands still: " + clock.heldBy().orElse("no reason is known"));
  }
}
