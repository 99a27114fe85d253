package io.txbox.store;

import java.time.Instant;

/**
 * Holds what a copy of a message that was taken is compared to.
 *
 * @param dedupKey the key by which it was found
 * @param processedAt see {@link InboxRow}
 * @param messageId see {@link InboxRow}
 * @param bodyFingerprint see {@link InboxRow}
 */
public record KnownRow(
    String dedupKey, Instant processedAt, String messageId, long bodyFingerprint) {}
