package io.txbox.samples.demo;

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

  int joined;
  int left;
  int brokerKills;
  int rewound;
  int deliveredAfterRewind;

  int kills() {
    return killedInTransaction + killedAfterCommit + brokerKills;
  }
}
