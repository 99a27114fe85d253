package io.txbox.samples.demo;

import io.txbox.samples.demo.Event.Outcome;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts what the instances report. One that is killed may take its last report with it, so that
 * these are the deliveries that are known of. Thread-safe.
 */
final class Deliveries {
  private final Ledger ledger;
  private final Map<Kind, Integer> counts = new HashMap<>();
  private final Map<Topic, Integer> byClient = new EnumMap<>(Topic.class);
  private final Set<Copy> seen = new HashSet<>();
  private final Map<Copy, String> processedBy = new HashMap<>();
  private final Map<String, Integer> processed = new HashMap<>();
  private final Map<String, Integer> deliveredAgain = new HashMap<>();
  private long last = System.nanoTime();

  Deliveries(Ledger ledger) {
    this.ledger = ledger;
  }

  private record Kind(Topic topic, Outcome outcome) {}

  private record Copy(Topic topic, String place) {}

  synchronized void add(String instance, Event event) {
    last = System.nanoTime();
    counts.merge(new Kind(event.topic(), event.outcome()), 1, Integer::sum);
    // What was sent back comes by another topic, whose places mean nothing here.
    if (event.attempt() == 1) {
      addFresh(instance, event, new Copy(event.topic(), event.copy()));
    }
    if (event.outcome() == Outcome.PROCESSED) {
      processed.merge(instance, 1, Integer::sum);
    }
  }

  private void addFresh(String instance, Event event, Copy copy) {
    String before = processedBy.get(copy);
    if (before != null && !before.equals(instance)) {
      deliveredAgain.merge(before, 1, Integer::sum);
    }
    if (event.outcome() == Outcome.PROCESSED) {
      processedBy.put(copy, instance);
    }
    boolean isNew = seen.add(copy);
    if (isNew && event.isDuplicate() && isClientsOwn(event)) {
      byClient.merge(event.topic(), 1, Integer::sum);
    }
  }

  private boolean isClientsOwn(Event event) {
    return (event.outcome() == Outcome.REDELIVERY || event.outcome() == Outcome.SKIPPED)
        && ledger.isSentTwice(event.messageId());
  }

  synchronized int count(Topic topic, Outcome outcome) {
    return counts.getOrDefault(new Kind(topic, outcome), 0);
  }

  /** Returns how many copies were known by a message id under which the client had sent twice. */
  synchronized int byClient(Topic topic) {
    return byClient.getOrDefault(topic, 0);
  }

  synchronized int count(Topic topic) {
    int sum = 0;
    for (Outcome outcome : Outcome.values()) {
      sum += count(topic, outcome);
    }
    return sum;
  }

  synchronized int all(Outcome... outcomes) {
    int sum = 0;
    for (Outcome outcome : outcomes) {
      for (Topic topic : Topic.values()) {
        sum += count(topic, outcome);
      }
    }
    return sum;
  }

  synchronized int all() {
    return all(Outcome.values());
  }

  /** Returns how many messages this instance has reported to have processed. */
  synchronized int processedBy(String instance) {
    return processed.getOrDefault(instance, 0);
  }

  /** Returns how many of the messages that this instance had processed came to another one. */
  synchronized int deliveredAgainAfter(String instance) {
    return deliveredAgain.getOrDefault(instance, 0);
  }

  /** Returns how long nothing has been reported. */
  synchronized Duration quiet() {
    return Duration.ofNanos(System.nanoTime() - last);
  }

  /** Counts from now on as not quiet. */
  synchronized void stir() {
    last = System.nanoTime();
  }
}
