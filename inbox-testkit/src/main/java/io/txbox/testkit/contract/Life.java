package io.txbox.testkit.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * What a killed consumer's process did.
 *
 * @param journal its lines
 */
record Life(List<String> journal) {
  /** Says whether it was killed before it had started. */
  boolean endedInStart() {
    return !journal.contains(Journal.READY);
  }

  /** Returns the keys of handlers that began and whose end nobody was told of. */
  List<String> cutOff() {
    List<String> open = new ArrayList<>();
    for (String line : journal) {
      if (line.startsWith(Journal.BEGAN)) {
        open.add(keyOf(line));
      } else if (!line.equals(Journal.READY)) {
        open.removeIf(keyOf(line)::equals);
      }
    }
    return open;
  }

  /** Returns the keys of the lines that begin so. */
  List<String> keys(String kind) {
    return journal.stream().filter(line -> line.startsWith(kind)).map(Life::keyOf).toList();
  }

  private static String keyOf(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }
}
