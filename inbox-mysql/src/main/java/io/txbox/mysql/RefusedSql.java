package io.txbox.mysql;

import java.util.List;
import java.util.Set;

/**
 * Knows the statements that end a transaction by themselves, hide what they run, or change what the
 * pool's next borrower finds.
 */
final class RefusedSql {
  private static final Set<String> FIRST =
      Set.of(
          "ALTER",
          "ANALYZE",
          "BACKUP",
          "BINLOG",
          "CACHE",
          "CHANGE",
          "CHECK",
          "CLONE",
          "CREATE", // A temporary table, too: it hides one of that name for as long as the session.
          "FLUSH",
          "GRANT",
          "IMPORT",
          "INSTALL",
          "LOCK",
          "OPTIMIZE",
          "PURGE",
          "RENAME",
          "REPAIR",
          "RESTART",
          "REVOKE",
          "SHUTDOWN",
          "START",
          "STOP",
          "TRUNCATE",
          "UNINSTALL",
          "UNLOCK",
          "USE", // Another database is another inbox, for the pool's next borrower.
          "PREPARE", // What these run cannot be seen.
          "EXECUTE");

  /** As many first words as there can be: what follows them was not seen. */
  private static final int ALL_WORDS = 4;

  private RefusedSql() {}

  static boolean contains(List<String> words) {
    String first = words.get(0);
    return switch (first) {
      case "DROP" -> !words.contains("TEMPORARY");
      case "LOAD" -> words.contains("INDEX");
      case "SET" -> !setsVariablesOnly(words);
      default -> FIRST.contains(first);
    };
  }

  /**
   * Only user variables are no setting of the session: SET LOCAL, too, lasts beyond the
   * transaction. Any other word may be a setting's name; and of a long list of assignments only the
   * first words are seen, so that it is refused.
   */
  private static boolean setsVariablesOnly(List<String> words) {
    return words.size() > 1
        && words.size() < ALL_WORDS
        && words.stream().skip(1).allMatch(word -> word.startsWith("@") && !word.startsWith("@@"));
  }
}
