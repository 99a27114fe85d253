package io.txbox.inbox;

import io.txbox.DedupKey;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;

/** A message on its way in: what it is, what identifies it, and who handles it. */
record Incoming(InboxMessage message, DedupKey key, InboxHandler handler) {}
