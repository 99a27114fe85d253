package io.txbox.janitor;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Says what a janitor would purge, and why nothing else.
 *
 * @param leaseHolder the janitor that has the lease, which may be dead; empty if none has
 * @param groups the consumer groups
 */
public record PurgePreview(Optional<String> leaseHolder, List<Group> groups) {
  public PurgePreview {
    groups = List.copyOf(groups);
  }

  /**
   * A consumer group.
   *
   * @param clock what its purge clock shows; empty while it stands still
   * @param heldBy what it stands still for
   * @param scopes its scopes; none if it has consumed nothing
   */
  public record Group(
      String consumerGroup,
      Retention retention,
      Optional<Instant> clock,
      Optional<String> heldBy,
      List<Scope> scopes) {
    public Group {
      scopes = List.copyOf(scopes);
    }
  }

  /**
   * A scope of a consumer group.
   *
   * @param purgeHorizon the horizon by which rows are purged
   * @param horizon the one that is announced
   * @param nextHorizon the one that is announced after a pass: the same, or a later one
   * @param oldest when the oldest row was processed that is not parked; empty if there is none
   * @param now the rows that could go at once
   * @param soon those that go as well once the next horizon has been announced for ten seconds
   * @param whyNone why no row could go at once; empty if one could
   */
  public record Scope(
      String scope,
      Optional<Instant> purgeHorizon,
      Optional<Instant> horizon,
      Optional<Instant> nextHorizon,
      Optional<Instant> oldest,
      Rows now,
      Rows soon,
      Optional<String> whyNone) {}

  /**
   * A number of rows.
   *
   * @param counted how many were counted, 100,000 at most
   * @param more whether there are more
   */
  public record Rows(long counted, boolean more) {
    static final Rows NONE = new Rows(0, false);

    /** Says whether there is none. */
    public boolean isNone() {
      return counted == 0;
    }

    @Override
    public String toString() {
      return more ? "at least " + counted : String.valueOf(counted);
    }
  }
}
