package io.txbox.samples.demo;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sender's own books, in the sender's memory: what it has sent, and what should come of it. It
 * knows nothing of the database. Thread-safe.
 */
final class Ledger {
  private final Map<String, Long> balances;
  private final Map<String, Business> sent = new LinkedHashMap<>();
  private final Map<Topic, Integer> messages = new EnumMap<>(Topic.class);
  private final Map<Topic, Integer> clientRetries = new EnumMap<>(Topic.class);
  private final Set<String> twice = new HashSet<>();
  private int unanswered;

  Ledger(Map<String, Long> opening) {
    this.balances = new HashMap<>(opening);
  }

  /** Notes a message that the broker says it has. */
  synchronized void sent(Business business) {
    messages.merge(business.topic(), 1, Integer::sum);
    if (sent.putIfAbsent(business.id(), business) == null) {
      balances.merge(business.effect().subject(), business.effect().change(), Long::sum);
    }
  }

  /** Notes that the client sends the message of this id again, before it does. */
  synchronized void sendsAgain(Topic topic, String messageId) {
    twice.add(messageId);
    clientRetries.merge(topic, 1, Integer::sum);
  }

  /** Notes a send that failed; the broker may have the message, or not. */
  synchronized void unanswered() {
    unanswered++;
  }

  synchronized boolean isSentTwice(String messageId) {
    return twice.contains(messageId);
  }

  synchronized int messages(Topic topic) {
    return messages.getOrDefault(topic, 0);
  }

  synchronized int clientRetries(Topic topic) {
    return clientRetries.getOrDefault(topic, 0);
  }

  synchronized int unansweredSends() {
    return unanswered;
  }

  /** Returns all that should have had its effect once. */
  synchronized Collection<Business> business() {
    return List.copyOf(sent.values());
  }

  /** Returns the number that each subject should have. */
  synchronized Map<String, Long> balances() {
    return Map.copyOf(balances);
  }
}
