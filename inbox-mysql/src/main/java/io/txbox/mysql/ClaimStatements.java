package io.txbox.mysql;

import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxTable;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Inserts rows whose keys are not there: all of them in one plain INSERT and, if a key is there, in
 * a new transaction those that are not. Only that INSERT tells what is new; error 1062 of it says
 * that something is not, and nothing else does.
 *
 * <p>INSERT IGNORE and ON DUPLICATE KEY UPDATE would need no second round, but deadlock many times
 * as often; the one turns other errors into warnings, the count of the other does not tell a new
 * row from an old one.
 *
 * <p>Plain JDBC, since it is on the path of every message. Keys are bound as bytes: no character
 * set of a session changes them.
 */
final class ClaimStatements {
  /** A key that was there, and is purged before it is looked at, takes another round. */
  private static final int MAX_ROUNDS = 3;

  /** InnoDB waits for whole seconds; what is shorter than this is a look now and then instead. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

  private static final String ROW = "(?, ?, ?, ?, ?, ?, ?)";

  private final String insert;
  private final String select;
  private final String lock;
  private volatile @Nullable Variant variant;

  ClaimStatements(InboxTable inbox) {
    String table = DSL.using(SQLDialect.MYSQL).render(inbox.getQualifiedName());
    insert =
        "INSERT INTO "
            + table
            + " (message_time, processed_at, body_fingerprint, scope_id, state, dedup_key,"
            + " message_id) VALUES ";
    select = "SELECT dedup_key FROM " + table + " WHERE scope_id = ? AND dedup_key IN (";
    lock = "SELECT 1 FROM " + table + " WHERE scope_id = ? AND dedup_key = ? FOR UPDATE NOWAIT";
  }

  /** What the two servers do differently. */
  private enum Variant {
    /** Sets the session's lock wait for the time of the claim. */
    MYSQL {
      @Override
      String begin(long seconds) {
        // A session that somebody has left in autocommit would commit the claim by itself.
        return "SET @@transaction_isolation = 'READ-COMMITTED', SESSION autocommit = 0,"
            + " @txbox_lock_wait = @@SESSION.innodb_lock_wait_timeout, @txbox_table_wait ="
            + " @@SESSION.lock_wait_timeout, SESSION innodb_lock_wait_timeout = "
            + seconds
            + ", SESSION lock_wait_timeout = "
            + seconds;
      }

      @Override
      String limited(String insert, long seconds) {
        return insert;
      }

      @Override
      void restore(Connection connection) throws SQLException {
        execute(
            connection,
            "SET SESSION innodb_lock_wait_timeout = @txbox_lock_wait, SESSION lock_wait_timeout ="
                + " @txbox_table_wait");
      }
    },

    /** Has a setting for one statement. */
    MARIADB {
      @Override
      String begin(long seconds) {
        return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
      }

      @Override
      String limited(String insert, long seconds) {
        return "SET STATEMENT innodb_lock_wait_timeout = %d, lock_wait_timeout = %d FOR %s"
            .formatted(seconds, seconds, insert);
      }

      @Override
      void restore(Connection connection) {}
    };

    static Variant of(Connection connection) throws SQLException {
      // MySQL's own driver calls a MariaDB server by its name only in the version.
      String version = connection.getMetaData().getDatabaseProductVersion();
      return version.toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : MYSQL;
    }

    /** Returns what makes a transaction that has not begun yet one of READ COMMITTED. */
    abstract String begin(long seconds);

    abstract String limited(String insert, long seconds);

    /** Gives the session its own lock wait again. */
    abstract void restore(Connection connection) throws SQLException;
  }

  On on(Connection connection) throws SQLException {
    Variant known = variant;
    if (known == null) {
      known = Variant.of(connection);
      variant = known;
    }
    return new On(connection, known);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The statements on one connection. */
  final class On {
    private final Connection connection;
    private final Variant server;

    private On(Connection connection, Variant server) {
      this.connection = connection;
      this.server = server;
    }

    Claim run(List<InboxRow> rows, Duration wait) throws SQLException {
      for (int round = 1; round <= MAX_ROUNDS; round++) {
        execute(connection, server.begin(seconds(wait)));
        Optional<Set<String>> claimed = insertNew(rows, round == 1, wait);
        if (claimed.isPresent()) {
          return new Claim.Decided(claimed.get());
        }
        connection.rollback(); // Frees what the INSERT has locked in vain.
      }
      return new Claim.Again("keys came and went in " + MAX_ROUNDS + " rounds");
    }

    /** Inserts what is new and returns its keys, or inserts nothing if the key of one is there. */
    private Optional<Set<String>> insertNew(List<InboxRow> rows, boolean all, Duration wait)
        throws SQLException {
      List<InboxRow> fresh;
      boolean inserted;
      try {
        fresh = all ? rows : withoutThose(thatAreThere(rows), rows);
        if (fresh.size() == 1 && wait.compareTo(SHORTEST_WAIT) < 0) {
          awaitRivals(fresh.get(0), wait);
        }
        inserted = fresh.isEmpty() || insert(fresh, wait);
      } catch (SQLException e) {
        try {
          server.restore(connection);
        } catch (SQLException unrestored) {
          e.addSuppressed(unrestored);
        }
        throw e;
      }
      server.restore(connection);
      return inserted ? Optional.of(keys(fresh)) : Optional.empty();
    }

    /**
     * Waits until nobody has a row of this key that is not committed.
     *
     * @throws SQLException that the row is locked, if that does not come about in time
     */
    private void awaitRivals(InboxRow row, Duration wait) throws SQLException {
      long deadline = System.nanoTime() + wait.toNanos();
      while (true) {
        try (PreparedStatement statement = connection.prepareStatement(lock)) {
          statement.setShort(1, row.scopeId());
          statement.setBytes(2, bytes(row.dedupKey()));
          statement.execute();
          return;
        } catch (SQLException e) {
          boolean over = System.nanoTime() >= deadline || Thread.currentThread().isInterrupted();
          if (over || ErrorCodes.classify(e) != FailureKind.LOCK_TIMEOUT) {
            throw e;
          }
        }
        LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      }
    }

    private boolean insert(List<InboxRow> rows, Duration wait) throws SQLException {
      String sql = server.limited(insert, seconds(wait)) + repeated(ROW, rows.size());
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        int i = 1;
        for (InboxRow row : rows) {
          statement.setLong(i++, row.messageTime().toEpochMilli());
          statement.setLong(i++, row.processedAt().toEpochMilli());
          statement.setLong(i++, row.bodyFingerprint());
          statement.setShort(i++, row.scopeId());
          statement.setShort(i++, row.state().code());
          statement.setBytes(i++, bytes(row.dedupKey()));
          statement.setBytes(i++, bytes(row.messageId()));
        }
        statement.executeUpdate();
        return true;
      } catch (SQLException e) {
        if (e.getErrorCode() == ErrorCodes.DUPLICATE_KEY) {
          return false;
        }
        throw e;
      }
    }

    private Set<String> thatAreThere(List<InboxRow> rows) throws SQLException {
      String sql = select + repeated("?", rows.size()) + ")";
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setShort(1, rows.get(0).scopeId());
        for (int i = 0; i < rows.size(); i++) {
          statement.setBytes(i + 2, bytes(rows.get(i).dedupKey()));
        }
        Set<String> there = new HashSet<>();
        try (ResultSet keys = statement.executeQuery()) {
          while (keys.next()) {
            there.add(new String(keys.getBytes(1), StandardCharsets.UTF_8));
          }
        }
        return there;
      }
    }
  }

  private static long seconds(Duration wait) {
    return Math.max(1, wait.plusMillis(999).toSeconds());
  }

  private static List<InboxRow> withoutThose(Set<String> there, List<InboxRow> rows) {
    return rows.stream().filter(row -> !there.contains(row.dedupKey())).toList();
  }

  private static Set<String> keys(List<InboxRow> rows) {
    return rows.stream().map(InboxRow::dedupKey).collect(Collectors.toUnmodifiableSet());
  }

  private static String repeated(String placeholder, int times) {
    return String.join(", ", Collections.nCopies(times, placeholder));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
