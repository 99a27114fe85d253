package io.txbox.migrations;

import org.jspecify.annotations.Nullable;

/** Thrown if the database role may not create tables in the schema. */
public final class MissingRightsException extends MigrationException {

  private final String role;

  MissingRightsException(Session session, String role, String missing, @Nullable Throwable cause) {
    super(
        """
        The role %s may not create and change tables in the schema %s: %s. Run the migration as a role that may (%s), \
        or have an administrator apply the plain SQL; the service itself then needs only Migrations.verify(dataSource)."""
            .formatted(role, session.schema(), missing, "migrate --user <owner of the schema>"),
        cause);
    this.role = role;
  }

  /** The role that lacks the rights. */
  public String role() {
    return role;
  }
}
