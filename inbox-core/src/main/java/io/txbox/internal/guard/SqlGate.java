package io.txbox.internal.guard;

import io.txbox.store.StoreDialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds SQL that would end or change a transaction, by the first words of each statement in a text.
 *
 * <p>What is a literal or a comment depends on the database and its settings (a backslash in a
 * literal, {@code #}, a comment in a comment). So a text that holds one of these is read both ways,
 * and refused if either way finds something. Not a parser: a stored procedure's body is not seen.
 */
final class SqlGate {
  /** Words that always begin such a statement. */
  private static final Set<String> ALWAYS = Set.of("COMMIT", "BEGIN", "END", "ABORT", "XA");

  /** What a SET must not touch, with or without SESSION, LOCAL, GLOBAL or {@code @@}. */
  private static final Set<String> FIXED_SETTINGS =
      Set.of(
          "AUTOCOMMIT",
          "TRANSACTION",
          "TRANSACTION_ISOLATION",
          "TX_ISOLATION",
          "CHARACTERISTICS",
          "SYNCHRONOUS_COMMIT",
          "COMPLETION_TYPE");

  private SqlGate() {}

  /** Returns the head of the first statement that must not run in a handler. */
  static Optional<String> firstRefused(String sql, StoreDialect dialect) {
    return readings(sql)
        .flatMap(reading -> reading.heads().stream())
        .filter(head -> endsTransaction(head) || dialect.commitsImplicitly(head))
        .map(head -> "\"" + String.join(" ", head) + "\"")
        .findFirst();
  }

  private static Stream<SqlReading> readings(String sql) {
    boolean ambiguous =
        sql.indexOf('\\') >= 0
            || sql.indexOf('#') >= 0
            || sql.indexOf("/*") < sql.lastIndexOf("/*");
    return (ambiguous ? IntStream.range(0, 8) : IntStream.of(0))
        .mapToObj(bits -> new SqlReading(sql, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
  }

  private static boolean endsTransaction(List<String> head) {
    String first = head.get(0);
    return ALWAYS.contains(first)
        || (first.equals("ROLLBACK") && !head.contains("TO"))
        || (first.equals("START") && head.contains("TRANSACTION"))
        || (first.equals("PREPARE") && head.contains("TRANSACTION"))
        || (first.equals("SET") && head.stream().anyMatch(FIXED_SETTINGS::contains));
  }

  /** One way to read a text: splits it into statements and keeps the first words of each. */
  private static final class SqlReading {
    private static final int WORDS = 4;

    private final String sql;
    private final boolean backslashEscapes;
    private final boolean hashComments;
    private final boolean flatComments;
    private final List<List<String>> heads = new ArrayList<>();
    private List<String> head = new ArrayList<>();

    SqlReading(String sql, boolean backslashEscapes, boolean hashComments, boolean flatComments) {
      this.sql = sql;
      this.flatComments = flatComments;
      this.backslashEscapes = backslashEscapes;
      this.hashComments = hashComments;
    }

    List<List<String>> heads() {
      int i = 0;
      while (i < sql.length()) {
        i = next(i);
      }
      endStatement();
      return heads;
    }

    private int next(int i) {
      char c = sql.charAt(i);
      if (c == ';') {
        endStatement();
        return i + 1;
      }
      if (c == '\'' || c == '"' || c == '`') {
        return afterQuoted(i, c);
      }
      if (sql.startsWith("--", i) || (c == '#' && hashComments)) {
        return after("\n", i);
      }
      if (sql.startsWith("/*", i) && !sql.startsWith("/*!", i) && !sql.startsWith("/*M!", i)) {
        return afterComment(i);
      }
      if (c == '$') {
        return afterDollarQuoted(i);
      }
      return Character.isLetter(c) || c == '_' ? afterWord(i) : i + 1;
    }

    private void endStatement() {
      if (!head.isEmpty()) {
        heads.add(head);
        head = new ArrayList<>();
      }
    }

    private int afterWord(int start) {
      int end = start;
      while (end < sql.length() && Character.isJavaIdentifierPart(sql.charAt(end))) {
        end++;
      }
      if (head.size() < WORDS) {
        head.add(sql.substring(start, end).toUpperCase(Locale.ROOT));
      }
      return end;
    }

    private int afterQuoted(int start, char quote) {
      for (int i = start + 1; i < sql.length(); i++) {
        char c = sql.charAt(i);
        if (c == '\\' && backslashEscapes && quote != '`') {
          i++;
        } else if (c == quote) {
          return i + 1; // A doubled quote opens the next literal at once: the same in effect.
        }
      }
      return sql.length();
    }

    private int afterComment(int start) {
      int depth = 0;
      int i = start;
      while (i < sql.length()) {
        if (sql.startsWith("/*", i)) {
          depth++;
          i += 2;
        } else if (sql.startsWith("*/", i)) {
          depth--;
          i += 2;
          if (depth == 0 || flatComments) {
            return i;
          }
        } else {
          i++;
        }
      }
      return sql.length();
    }

    private int afterDollarQuoted(int start) {
      int tagEnd = sql.indexOf('$', start + 1);
      if (tagEnd < 0 || !isTag(sql.substring(start + 1, tagEnd))) {
        return start + 1;
      }
      return after(sql.substring(start, tagEnd + 1), tagEnd + 1);
    }

    private static boolean isTag(String tag) {
      return tag.isEmpty()
          || (Character.isUnicodeIdentifierStart(tag.charAt(0))
              && tag.chars().allMatch(Character::isUnicodeIdentifierPart));
    }

    private int after(String end, int from) {
      int at = sql.indexOf(end, from);
      return at < 0 ? sql.length() : at + end.length();
    }
  }
}
