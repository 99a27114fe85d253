package io.txbox;

import java.util.List;
import org.jooq.DSLContext;

/**
 * Handles the new messages of a batch in one call, for writes that are cheaper by the set.
 *
 * <p>Called at most once for each message whose effects are committed, as {@link InboxHandler} is,
 * and from several threads at once, for different messages.
 */
@FunctionalInterface
public interface BatchInboxHandler {
  /**
   * Changes the database as the messages ask for, by {@code tx} only: all of it commits together
   * with their inbox rows, or not at all.
   *
   * <p>If it throws, nothing of the batch is kept, and it is called again with each message alone,
   * so that only those fail that fail by themselves.
   *
   * @param messages one or more, each new, as they arrived; those of one ordering key beside each
   *     other
   * @param tx jOOQ on the transaction; dead once this method has returned
   * @throws Exception if the messages cannot be handled
   */
  void handle(List<InboxMessage> messages, DSLContext tx) throws Exception;
}
