package io.txbox.store;

import java.time.Instant;

/**
 * Holds a row of the inbox table: a message that was handled.
 *
 * @param scopeId the id of its consumer group and scope
 * @param dedupKey its dedup key, as {@link StorableText}
 * @param state what became of it
 * @param messageTime its age: the earlier of its born and store times
 * @param processedAt when it was processed, by the instance's clock, but not before its message
 *     time nor that of a copy that came later: from here on the row is kept for the retention
 * @param messageId its id, as {@link StorableText}; tells a redelivery from a resend
 * @param bodyFingerprint a fingerprint of its body; tells a copy from a conflict
 */
public record InboxRow(
    short scopeId,
    String dedupKey,
    RowState state,
    Instant messageTime,
    Instant processedAt,
    String messageId,
    long bodyFingerprint) {}
