package io.txbox.migrations;

import org.jspecify.annotations.Nullable;

/** Thrown if a statement failed for a reason that is none of the others; the cause says which. */
public final class MigrationFailedException extends MigrationException {

  /** Why a statement may wait for too long, and where that is seen. */
  static final String HELD_UP =
      """
      Another session has locked what it needs, which pg_stat_activity (MySQL: the process list) shows, or the role has \
      a timeout that is too short.""";

  MigrationFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
