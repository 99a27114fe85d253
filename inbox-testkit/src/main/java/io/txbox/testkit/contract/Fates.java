package io.txbox.testkit.contract;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of the messages of processes that were killed, counted.
 *
 * @param killedInStart processes that had not started
 * @param killedInHandlers processes that had handlers running, or their commits
 * @param rolledBack handlers that were cut off and ran again: their transactions left nothing
 * @param committed handlers that were cut off and did not run again: the kill came after the commit
 * @param redelivered duplicates that the broker delivered
 * @param resent duplicates that the sender sent
 * @param conflicts duplicates with another body
 */
record Fates(
    int kills,
    long killedInStart,
    long killedInHandlers,
    long rolledBack,
    long committed,
    long redelivered,
    long resent,
    long conflicts) {
  /**
   * Counts.
   *
   * @param last the journal of the one that was not killed
   */
  static Fates of(List<Life> killed, Life last) {
    List<Life> all = Stream.concat(killed.stream(), Stream.of(last)).toList();
    Set<String> processed =
        all.stream()
            .flatMap(life -> life.keys(Journal.PROCESSED).stream())
            .collect(Collectors.toSet());
    List<String> cutOff = killed.stream().flatMap(life -> life.cutOff().stream()).toList();
    // A key may be cut off more often than once; one that nobody was told of was committed once.
    long committed = cutOff.stream().filter(key -> !processed.contains(key)).distinct().count();
    return new Fates(
        killed.size(),
        killed.stream().filter(Life::endedInStart).count(),
        killed.stream().filter(life -> !life.cutOff().isEmpty()).count(),
        cutOff.size() - committed,
        committed,
        count(all, Journal.REDELIVERY),
        count(all, Journal.RESENT),
        count(all, Journal.CONFLICT));
  }

  private static long count(List<Life> lives, String kind) {
    return lives.stream().mapToLong(life -> life.keys(kind).size()).sum();
  }
}
