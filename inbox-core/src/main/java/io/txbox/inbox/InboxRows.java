package io.txbox.inbox;

import io.txbox.InboxMessage;
import io.txbox.store.InboxRow;
import io.txbox.store.RowState;
import io.txbox.store.StorableText;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;

/** Makes the inbox row of a message. */
final class InboxRows {
  private InboxRows() {}

  static InboxRow processed(short scopeId, String key, InboxMessage message, Instant now) {
    return new InboxRow(
        scopeId,
        StorableText.of(key),
        RowState.PROCESSED,
        message.messageTime(),
        now,
        StorableText.of(message.messageId()),
        fingerprint(message.body()));
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
