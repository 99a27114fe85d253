package io.txbox.samples.demo;

import java.util.ArrayList;
import java.util.List;

/** Counts what was done to the system, and that it hit. For one thread. */
final class Faults {
  /** Instances that were killed while the database had open transactions of theirs. */
  int killedInTransaction;

  /** These transactions; all of them were rolled back. */
  int transactionsHit;

  /** Instances that were killed as soon as they had reported a commit. */
  int killedAfterCommit;

  /** Messages that such an instance had processed, and that came to another one. */
  int deliveredAgain;

  /** Instances whose transactions had ended, or whose offsets were stored, just before. */
  int killedInVain;

  int joined;
  int left;
  int brokerKills;
  int rewound;
  int deliveredAfterRewind;

  int kills() {
    return killedInTransaction + killedAfterCommit + killedInVain + brokerKills;
  }

  /** Returns what was done, in lines. */
  List<String> lines(int unansweredSends) {
    List<String> lines = new ArrayList<>();
    lines.add("SIGKILL, " + count(kills(), "time:", "times:"));
    lines.add(
        "  %d for an instance in open transactions; %s rolled back"
            .formatted(
                killedInTransaction,
                count(transactionsHit, "transaction was", "transactions were")));
    lines.add(
        "  %d for an instance right after a commit; %s that it had processed came again"
            .formatted(killedAfterCommit, count(deliveredAgain, "message", "messages")));
    if (killedInVain > 0) {
      lines.add(
          "  %d that came a moment too late, see above, not counted as hit"
              .formatted(killedInVain));
    }
    lines.add(
        "  %d for the broker; %s made again"
            .formatted(
                brokerKills,
                count(unansweredSends, "send failed and was", "sends failed and were")));
    lines.add(
        "Joined: %d, left: %d. Rewound: %s, delivered again: %,d."
            .formatted(joined, left, count(rewound, "message", "messages"), deliveredAfterRewind));
    return lines;
  }

  /** Returns a number with its noun. */
  static String count(int number, String one, String more) {
    return "%,d %s".formatted(number, number == 1 ? one : more);
  }
}
