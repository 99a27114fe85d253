package io.txbox.inbox;

import io.txbox.store.InboxRow;
import io.txbox.store.RowState;
import io.txbox.store.StorableText;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.InstantSource;

/** Makes the inbox rows of messages. Thread-safe. */
final class InboxRows {
  private final ScopeIds scopes;
  private final InstantSource clock;

  InboxRows(ScopeIds scopes, InstantSource clock) {
    this.scopes = scopes;
    this.clock = clock;
  }

  /** Makes the row that says that a message was processed now. */
  InboxRow processed(Incoming incoming) {
    return new InboxRow(
        scopes.idOf(incoming.key().scope()),
        StorableText.of(incoming.key().value()),
        RowState.PROCESSED,
        incoming.message().messageTime(),
        latest(clock.instant(), incoming.message().messageTime()),
        StorableText.of(incoming.message().messageId()),
        fingerprint(incoming.message().body()));
  }

  /** A clock that is behind the broker's must not let a row go before its time. */
  private static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** The first 64 bits of the body's SHA-256: enough to notice a body that differs. */
  private static long fingerprint(byte[] body) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(body)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
