package io.txbox.inbox;

import io.txbox.InboxMessage;
import io.txbox.store.InboxParkedTable;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxTable;
import io.txbox.store.ParkReason;
import io.txbox.store.RowState;
import io.txbox.store.StorableText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Writes that a message is not handled but parked or discarded, in the transaction that has claimed
 * its key: later copies are duplicates of it. Thread-safe.
 */
final class SettingAside {
  private final InboxSchema schema;
  private final InstantSource clock;

  SettingAside(InboxSchema schema, InstantSource clock) {
    this.schema = schema;
    this.clock = clock;
  }

  /**
   * Parks a message with all that it came with.
   *
   * @param sequence the ordering key whose later messages are to be parked too, as it is stored;
   *     null if none are
   */
  void park(
      Incoming incoming,
      InboxRow row,
      ParkReason reason,
      String detail,
      @Nullable String sequence,
      DSLContext tx) {
    mark(row, RowState.PARKED, tx);
    InboxMessage message = incoming.message();
    InboxParkedTable parked = schema.parked();
    tx.insertInto(parked)
        .set(parked.parkedAt, clock.instant())
        .set(parked.messageTime, message.messageTime())
        .set(parked.bornAt, message.bornAt())
        .set(parked.storedAt, message.storedAt())
        .set(parked.queueOffset, message.offset())
        .set(parked.queue, message.queue().number())
        .set(parked.broker, StorableText.of(message.queue().broker()))
        .set(parked.attempt, message.attempt())
        .set(parked.scopeId, row.scopeId())
        .set(parked.dedupKey, row.dedupKey())
        .set(parked.orderingKey, sequence)
        .set(parked.reason, reason.name())
        .set(parked.detail, detail.replace('\0', '?'))
        .set(parked.topic, StorableText.of(message.topic()))
        .set(parked.messageId, row.messageId())
        .set(parked.properties, bytes(message))
        .set(parked.body, message.body())
        .execute();
  }

  /** Drops a message. */
  void discard(InboxRow row, DSLContext tx) {
    mark(row, RowState.DISCARDED, tx);
  }

  private void mark(InboxRow row, RowState state, DSLContext tx) {
    InboxTable inbox = schema.inbox();
    int marked =
        tx.update(inbox)
            .set(inbox.state, state.code())
            .where(inbox.scopeId.eq(row.scopeId()))
            .and(inbox.dedupKey.eq(row.dedupKey()))
            .execute();
    if (marked != 1) {
      throw new IllegalStateException("The row that was claimed is not there: " + row);
    }
  }

  /** As a properties file of Java, which has a form for every character; in the order of names. */
  private static byte[] bytes(InboxMessage message) {
    Properties properties = new Properties();
    properties.putAll(message.properties());
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try {
      properties.store(file, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file.toString(StandardCharsets.ISO_8859_1)
        .lines()
        .filter(line -> !line.startsWith("#")) // When it was written.
        .sorted()
        .collect(Collectors.joining("\n", "", "\n"))
        .getBytes(StandardCharsets.ISO_8859_1);
  }
}
