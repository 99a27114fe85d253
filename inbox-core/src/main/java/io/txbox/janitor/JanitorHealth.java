package io.txbox.janitor;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Says how a janitor does.
 *
 * <p>These are the problems that there may be, and their limits, which cannot be set:
 *
 * <ul>
 *   <li>No pass has come to its end for more than six intervals ({@link Janitor.Builder#interval}),
 *       five minutes at least.
 *   <li>The purge clock of a group has stood still for more than an hour, since this instance saw
 *       it first. The time in which a new group is only watched does not count.
 *   <li>The purge clock of a group has got on by less than half of a day that this instance has
 *       watched it, or has shown no time in it.
 *   <li>The last pass failed for a group; those of the others went on.
 *   <li>A retention is too short for the brokers, which did not answer at the start.
 *   <li>A row that may go is older than the purge horizon of its scope by more than an hour.
 * </ul>
 *
 * <p>A pass that comes to its end logs what there is of them as a warning, and again every ten
 * minutes while they last. Clocks that differ are no problem, since the one that is behind counts:
 * a skew of more than a minute is only logged, when it comes and when it goes.
 *
 * @param problems what an operator must look at; empty if all is well
 * @param rowsPurged how many rows this instance has purged since its start
 * @param lastPass when its last pass ended that did not fail, whether or not another instance had
 *     the lease
 * @param standby whether another instance had the lease in the last pass, so that this one did
 *     nothing
 * @param groups the consumer groups, as the last pass found them
 */
public record JanitorHealth(
    List<String> problems,
    long rowsPurged,
    Optional<Instant> lastPass,
    boolean standby,
    List<Group> groups) {
  public JanitorHealth {
    problems = List.copyOf(problems);
    groups = List.copyOf(groups);
  }

  /** Says whether nothing needs to be looked at. */
  public boolean isGood() {
    return problems.isEmpty();
  }

  /**
   * A consumer group.
   *
   * @param clock what its purge clock shows; empty while it stands still
   * @param heldBy what it stands still for
   * @param brokerSkew the brokers' clock minus this instance's
   * @param databaseSkew the database's clock minus this instance's
   */
  public record Group(
      String consumerGroup,
      Optional<Instant> clock,
      Optional<String> heldBy,
      Optional<Duration> brokerSkew,
      Optional<Duration> databaseSkew,
      List<Scope> scopes) {
    public Group {
      scopes = List.copyOf(scopes);
    }
  }

  /**
   * A scope of a consumer group.
   *
   * @param horizon the horizon that is announced
   * @param purgeHorizon the one by which rows are purged
   * @param oldestExpired for how long the oldest row that may go could have gone; empty if there is
   *     none
   */
  public record Scope(
      String scope,
      Optional<Instant> horizon,
      Optional<Instant> purgeHorizon,
      Optional<Duration> oldestExpired) {}
}
