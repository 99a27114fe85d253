package io.txbox.migrations;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Inserts into the inbox as version 1 of the library does, a row a transaction, until stopped. */
final class VersionOneWriter implements AutoCloseable {

  private static final String INSERT =
      """
      INSERT INTO inbox (scope_id, dedup_key, state, message_id, body_fingerprint, message_time, processed_at)
      VALUES (2, ?, 0, 'id', 1, 1, 1) ON CONFLICT DO NOTHING
      """;

  private final AtomicLong written = new AtomicLong();
  private final CompletableFuture<Void> writing;
  private volatile boolean stopped;

  private VersionOneWriter(TestDatabase database) {
    writing = CompletableFuture.runAsync(() -> write(database), work -> new Thread(work).start());
  }

  static VersionOneWriter start(TestDatabase database) {
    return new VersionOneWriter(database);
  }

  private void write(TestDatabase database) {
    try (Connection connection = database.owner().getConnection();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      while (!stopped) {
        insert.setString(1, "key-" + written.get());
        insert.executeUpdate();
        written.incrementAndGet();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("after " + written + " rows", e);
    }
  }

  /** Waits until it has gone on for some rows; fails if it could not. */
  void awaitMore() {
    long enough = written.get() + 20;
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> written.get() >= enough || writing.isCompletedExceptionally());
    writing.getNow(null);
  }

  /** Waits until its last row is committed; fails if any row could not be inserted. */
  void stop() throws Exception {
    stopped = true;
    writing.get(60, TimeUnit.SECONDS);
  }

  long written() {
    return written.get();
  }

  @Override
  public void close() {
    stopped = true;
  }
}
