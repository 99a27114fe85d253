package io.txbox.mysql;

import io.txbox.store.FailureKind;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;

/** The servers' error codes, most of which the two have in common. */
final class ErrorCodes {
  static final int DUPLICATE_KEY = 1062;
  static final int NO_SUCH_SAVEPOINT = 1305;

  /** The SQLState of an error of ours: the transaction is not the one that was begun. */
  static final String BROKEN_OFF = "25000";

  /** MariaDB's driver has gone over to another host in the middle of a transaction. */
  private static final String TRANSACTION_LOST = "25S03";

  /**
   * MySQL's driver refuses by itself, without a code, to write on a connection that is read-only.
   */
  private static final String REFUSED_BY_DRIVER = "S1009";

  private static final String READ_ONLY = "Connection is read-only";

  /** Deadlock; MariaDB's snapshot conflict; XA deadlock; a group's or cluster's certification. */
  private static final Set<Integer> TRANSIENT = Set.of(1213, 1020, 1614, 3101);

  /** The wait for a lock was too long, or none was allowed. */
  private static final Set<Integer> LOCK_TIMEOUT = Set.of(1205, 3572);

  /** KILL QUERY, MySQL's max_execution_time, MariaDB's max_statement_time. */
  private static final Set<Integer> CANCELLED = Set.of(1317, 3024, 1969);

  private static final Set<Integer> OUTAGE =
      Set.of(
          3, // Error writing a file, with the reason of the operating system.
          1021, // Disk full.
          1026, // Error writing a file.
          1028, // A sort was aborted.
          1030, // An error of the storage engine, such as a full disk.
          1040, // Too many connections.
          1047, // Galera: the node is not part of the cluster.
          1053, // Shutdown in progress.
          1114, // The table, or its tablespace, is full.
          1129, // Host blocked.
          1180, // Error during COMMIT.
          1203, // Too many connections of this user.
          1226, // A resource limit of this user.
          1290, // --read-only or --super-read-only, among others.
          1792, // A read-only transaction.
          1836, // Read-only mode.
          1927, // MariaDB: the connection was killed.
          3032, // Offline mode.
          3100, // Group replication refuses the commit.
          4031); // Disconnected by the server.

  private ErrorCodes() {}

  static FailureKind classify(SQLException error) {
    int code = error.getErrorCode();
    if (TRANSIENT.contains(code)) {
      return FailureKind.TRANSIENT;
    }
    if (LOCK_TIMEOUT.contains(code)) {
      return FailureKind.LOCK_TIMEOUT;
    }
    if (CANCELLED.contains(code) || error instanceof SQLTimeoutException) {
      return FailureKind.CANCELLED; // The drivers' own limits come without a code.
    }
    String state = String.valueOf(error.getSQLState());
    if (state.equals(BROKEN_OFF) && code == 0) {
      return FailureKind.BROKEN_OFF;
    }
    return OUTAGE.contains(code)
            || state.startsWith("08")
            || state.equals(TRANSACTION_LOST)
            || (state.equals(REFUSED_BY_DRIVER)
                && String.valueOf(error.getMessage()).startsWith(READ_ONLY))
        ? FailureKind.OUTAGE
        : FailureKind.PERMANENT;
  }
}
