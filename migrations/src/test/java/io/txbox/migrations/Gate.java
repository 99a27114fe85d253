package io.txbox.migrations;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Holds up sessions at a statement of theirs, inside of the server, for as long as it is shut: at
 * DDL by an event trigger, at an update of a row by a trigger on its table.
 */
final class Gate implements AutoCloseable {

  private static final int KEY = 4711;

  private final TestDatabase database;
  private final Connection keeper;

  private Gate(TestDatabase database, Connection keeper) {
    this.database = database;
    this.keeper = keeper;
  }

  /** Holds up DDL whose text contains that. */
  static Gate atDdl(TestDatabase database, String text) {
    database.execute(
        """
        CREATE FUNCTION public.gate() RETURNS event_trigger LANGUAGE plpgsql AS $$
          BEGIN IF position('%s' IN current_query()) > 0 THEN PERFORM pg_advisory_lock_shared(%d); END IF; END $$;
        CREATE EVENT TRIGGER gate ON ddl_command_start EXECUTE FUNCTION public.gate();
        """
            .formatted(text, KEY));
    return shut(database);
  }

  /** Holds up updates of a row for which that is true. */
  static Gate atRow(TestDatabase database, String table, String condition) {
    database.execute(
        """
        CREATE FUNCTION public.gate() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN PERFORM pg_advisory_lock_shared(%d); RETURN NEW; END $$;
        CREATE TRIGGER gate BEFORE UPDATE ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION public.gate();
        """
            .formatted(KEY, table, condition));
    return shut(database);
  }

  private static Gate shut(TestDatabase database) {
    try {
      Connection keeper = database.owner().getConnection();
      TestDatabase.execute(new OneConnection(keeper), "SELECT pg_advisory_lock(" + KEY + ")");
      return new Gate(database, keeper);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until a session stands at it. */
  void awaitHeldUp() {
    await().atMost(Duration.ofSeconds(60)).until(() -> !heldUp().isEmpty());
  }

  /** Ends the sessions that stand at it, as the server does once it finds their clients dead. */
  void endHeldUp() {
    heldUp().forEach(pid -> database.query("SELECT pg_terminate_backend(" + pid + ", 10000)"));
    await().atMost(Duration.ofMinutes(1)).until(() -> heldUp().isEmpty());
  }

  private List<String> heldUp() {
    return database.query(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = " + KEY);
  }

  @Override
  public void close() {
    try {
      keeper.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    database.execute("DROP FUNCTION public.gate CASCADE");
  }
}
