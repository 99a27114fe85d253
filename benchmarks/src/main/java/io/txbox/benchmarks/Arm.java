package io.txbox.benchmarks;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A way to consume a topic. */
enum Arm {
  PLAIN("plain", "no dedup, one transaction per message, 20 threads"),
  PLAIN_NARROW("plain-narrow", "no dedup, one transaction per message, as many threads as lanes"),
  PLAIN_LANES("plain-lanes", "no dedup, in the same lanes"),
  INBOX_OFF("inbox-off", "inbox, lanes off: one transaction per message, up to 20 at once"),
  INBOX("inbox", "inbox with lanes"),
  INBOX_BATCH("inbox-batch", "inbox with lanes and a BatchInboxHandler that writes by the set"),
  STATUS_TABLE("status-table", "dedup by a status row, three commits per message, 20 threads"),
  DUPLICATES("duplicates", "inbox with lanes, each message a copy of one that was handled");

  private final String label;
  private final String meaning;

  Arm(String label, String meaning) {
    this.label = label;
    this.meaning = meaning;
  }

  /**
   * Finds an arm.
   *
   * @throws IllegalArgumentException if there is none of this name, with all that there are
   */
  static Arm named(String label) {
    return Arrays.stream(values())
        .filter(arm -> arm.label.equals(label))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no arm '" + label + "'; there are " + labels()));
  }

  static String labels() {
    return Arrays.stream(values()).map(Arm::label).collect(Collectors.joining(", "));
  }

  String label() {
    return label;
  }

  String meaning() {
    return meaning;
  }

  /** Says whether a message's row in the inbox is part of it. */
  boolean hasInbox() {
    return switch (this) {
      case INBOX_OFF, INBOX, INBOX_BATCH, DUPLICATES -> true;
      case PLAIN, PLAIN_NARROW, PLAIN_LANES, STATUS_TABLE -> false;
    };
  }

  /** Says whether many messages share a transaction, so that it takes the long topic. */
  boolean sharesTransactions() {
    return switch (this) {
      case PLAIN_LANES, INBOX, INBOX_BATCH, DUPLICATES -> true;
      case PLAIN, PLAIN_NARROW, INBOX_OFF, STATUS_TABLE -> false;
    };
  }

  /** Says whether the arm tells something at this cost. */
  boolean knows(Cost cost) {
    return switch (cost) {
      case NOTHING, STATEMENTS -> this != PLAIN_NARROW;
      case UNCONTENDED -> this == INBOX;
      case WAIT -> this != INBOX_BATCH; // It could wait once for all.
    };
  }
}
