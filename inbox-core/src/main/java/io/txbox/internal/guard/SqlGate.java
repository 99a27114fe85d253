package io.txbox.internal.guard;

import io.txbox.store.StoreDialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds SQL that would end or change a transaction, by the first words of each statement in a text.
 * Thread-safe.
 *
 * <p>What is a literal or a comment depends on the database and its settings (a backslash in a
 * literal, {@code #}, a comment in a comment). So a text that holds one of these is read both ways,
 * and refused if either way finds something. Not a parser: a stored procedure's body is not seen.
 */
public final class SqlGate {
  /** Words that always begin such a statement, or one that changes the session for good. */
  private static final Set<String> ALWAYS =
      Set.of("COMMIT", "BEGIN", "END", "ABORT", "XA", "RESET", "DISCARD");

  /** What not even SET LOCAL may touch. */
  private static final Set<String> FIXED_SETTINGS =
      Set.of(
          "AUTOCOMMIT",
          "@@AUTOCOMMIT",
          "TRANSACTION",
          "TRANSACTION_ISOLATION",
          "TRANSACTION_READ_ONLY",
          "TX_ISOLATION",
          "CHARACTERISTICS",
          "SYNCHRONOUS_COMMIT",
          "COMPLETION_TYPE");

  /** Words that begin what stays in effect behind it, or may do so: nobody sees what DO runs. */
  private static final Set<String> LASTING =
      Set.of(
          "SET",
          "DO",
          "CALL",
          "DECLARE",
          "CREATE",
          "PREPARE",
          "EXECUTE",
          "EXPLAIN",
          "SAVEPOINT", // One of another message could be gone back to, over the effects of many.
          "ROLLBACK",
          "RELEASE");

  /** What does so inside of a statement, or may hide it: U&amp; escapes the letters of a name. */
  private static final Pattern LASTING_INSIDE =
      Pattern.compile(
          "\\bset_config\\b|\\bpg_settings\\b|\\bpg_temp|\\bU&[\"']"
              + "|\\bINTO\\s+(LOCAL\\s+|GLOBAL\\s+)?TEMP(ORARY)?\\s",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern COMMENT = Pattern.compile("--[^\r\n]*|/\\*.*?\\*/", Pattern.DOTALL);

  /** Handlers have few statements; those with literals in them must not fill the memory. */
  private static final int MOST_REMEMBERED = 1_000;

  private static final int LONGEST_REMEMBERED = 10_000;

  private final StoreDialect dialect;
  private final Map<String, Verdict> verdicts = new ConcurrentHashMap<>();

  /** Makes a gate for a database. */
  public SqlGate(StoreDialect dialect) {
    this.dialect = dialect;
  }

  /**
   * What there is to say of a text.
   *
   * @param refused the head of its first statement that must not run in a handler
   * @param leavesTraces whether it leaves behind what those after it in its transaction would meet:
   *     a setting, a temporary table, a cursor; what a function sets inside is not seen
   */
  record Verdict(Optional<String> refused, boolean leavesTraces) {}

  /** Looks at a text, or remembers what it has found in it. */
  Verdict look(String sql) {
    Verdict known = verdicts.get(sql);
    if (known != null) {
      return known;
    }
    Verdict verdict = judge(sql);
    if (verdicts.size() < MOST_REMEMBERED && sql.length() < LONGEST_REMEMBERED) {
      verdicts.put(sql, verdict);
    }
    return verdict;
  }

  private Verdict judge(String sql) {
    List<List<String>> heads = readings(sql).flatMap(reading -> reading.heads().stream()).toList();
    Optional<String> refused =
        heads.stream()
            .filter(head -> endsTransaction(head) || dialect.commitsImplicitly(head))
            .map(head -> "\"" + String.join(" ", head) + "\"")
            .findFirst();
    boolean leavesTraces =
        heads.stream().anyMatch(head -> LASTING.contains(head.get(0)))
            || LASTING_INSIDE.matcher(sql).find()
            || LASTING_INSIDE.matcher(COMMENT.matcher(sql).replaceAll(" ")).find();
    return new Verdict(refused, leavesTraces);
  }

  private Stream<SqlReading> readings(String sql) {
    boolean ambiguous =
        sql.indexOf('\\') >= 0
            || sql.indexOf('#') >= 0
            || sql.contains("/*!")
            || sql.contains("/*M!")
            || sql.indexOf("/*") < sql.lastIndexOf("/*");
    return (ambiguous ? IntStream.range(0, 16) : IntStream.of(0))
        .mapToObj(
            bits ->
                new SqlReading(
                    sql,
                    dialect,
                    (bits & 1) != 0,
                    (bits & 2) != 0,
                    (bits & 4) != 0,
                    (bits & 8) != 0));
  }

  private static boolean endsTransaction(List<String> head) {
    String first = head.get(0);
    return ALWAYS.contains(first)
        || (first.equals("ROLLBACK") && !head.contains("TO"))
        || (first.equals("START") && head.contains("TRANSACTION"))
        || (first.equals("PREPARE") && head.contains("TRANSACTION"))
        || (first.equals("SET") && !isOfThisTransaction(head))
        || (first.equals("UPDATE") && head.contains("PG_SETTINGS")); // As SET does, for good.
  }

  /**
   * A SET that outlives the transaction would change what the pool's next borrower does, txbox's
   * own claims among them: another search_path is another inbox.
   */
  private static boolean isOfThisTransaction(List<String> set) {
    String what = set.size() > 1 ? set.get(1) : "";
    boolean local =
        what.equals("LOCAL")
            || what.equals("CONSTRAINTS")
            || (what.startsWith("@") && !what.startsWith("@@"));
    return local && set.stream().noneMatch(FIXED_SETTINGS::contains);
  }

  /** One way to read a text: splits it into statements and keeps the first words of each. */
  private static final class SqlReading {
    private static final int WORDS = 4;

    private final String sql;
    private final boolean dollarQuotes;
    private final boolean dashesNeedSpace;
    private final boolean backslashEscapes;
    private final boolean hashComments;
    private final boolean flatComments;
    private final boolean codeInComments;
    private final List<List<String>> heads = new ArrayList<>();
    private List<String> head = new ArrayList<>();

    SqlReading(
        String sql,
        StoreDialect dialect,
        boolean backslashEscapes,
        boolean hashComments,
        boolean flatComments,
        boolean codeInComments) {
      this.sql = sql;
      this.dollarQuotes = dialect.dollarQuotes();
      this.dashesNeedSpace = dialect.dashesNeedSpace();
      this.codeInComments = codeInComments;
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
        int end = afterQuoted(i, c);
        if (c != '\'' && !head.isEmpty()) {
          addWord(sql.substring(i + 1, Math.max(i + 1, end - 1))); // A name: SET "autocommit" …
        }
        return end;
      }
      if (isDashes(i) || (c == '#' && hashComments)) {
        return afterLine(i);
      }
      if (sql.startsWith("/*", i)) {
        return isCode(i) ? afterVersion(i) : afterComment(i);
      }
      if (c == '$' && dollarQuotes) {
        return afterDollarQuoted(i);
      }
      if (c == '{') {
        return afterEscape(i + 1);
      }
      return isNamePart(c) || c == '@' ? afterWord(i) : i + 1;
    }

    /** MySQL and MariaDB run what stands in such a comment. */
    private boolean isCode(int i) {
      return codeInComments && (sql.startsWith("/*!", i) || sql.startsWith("/*M!", i));
    }

    /** What stands in such a comment begins behind the version that it is for. */
    private int afterVersion(int start) {
      int end = sql.indexOf('!', start) + 1;
      while (end < sql.length() && Character.isDigit(sql.charAt(end))) {
        end++;
      }
      return end;
    }

    private boolean isDashes(int i) {
      return sql.startsWith("--", i)
          && (!dashesNeedSpace || i + 2 >= sql.length() || sql.charAt(i + 2) <= ' ');
    }

    /**
     * JDBC's escapes, such as {@code {oj …}}: the driver takes brace and word off, but of {@code
     * {call …}} it makes a call.
     */
    private int afterEscape(int start) {
      int word = start;
      while (word < sql.length() && Character.isWhitespace(sql.charAt(word))) {
        word++;
      }
      int end = word;
      while (end < sql.length() && isNamePart(sql.charAt(end))) {
        end++;
      }
      return sql.substring(word, end).equalsIgnoreCase("call") ? word : end;
    }

    private int afterLine(int start) {
      int end = start;
      while (end < sql.length() && sql.charAt(end) != '\n' && sql.charAt(end) != '\r') {
        end++;
      }
      return end;
    }

    private void endStatement() {
      if (!head.isEmpty()) {
        heads.add(head);
        head = new ArrayList<>();
      }
    }

    private int afterWord(int start) {
      int end = start;
      while (end < sql.length() && (isNamePart(sql.charAt(end)) || sql.charAt(end) == '@')) {
        end++;
      }
      addWord(sql.substring(start, end));
      return end;
    }

    private void addWord(String word) {
      if (head.size() < WORDS && !Character.isDigit(word.isEmpty() ? '0' : word.charAt(0))) {
        head.add(word.toUpperCase(Locale.ROOT));
      }
    }

    /** To PostgreSQL's lexer, every character beyond ASCII is part of a name. */
    private static boolean isNamePart(char c) {
      return c >= 0x80
          || (c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || c == '_'
          || c == '$';
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
          || (!Character.isDigit(tag.charAt(0))
              && tag.chars().allMatch(c -> isNamePart((char) c) && c != '$'));
    }

    private int after(String end, int from) {
      int at = sql.indexOf(end, from);
      return at < 0 ? sql.length() : at + end.length();
    }
  }
}
