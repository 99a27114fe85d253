package io.txbox.internal.database;

import io.txbox.store.FailureKind;
import io.txbox.store.StoreDialect;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Finds what an exception means by the SQL errors in its cause chain. */
public final class SqlErrors {
  private SqlErrors() {}

  /** Says what an exception means; {@link FailureKind#PERMANENT} if no SQL error is in it. */
  public static FailureKind kindOf(Throwable error, StoreDialect dialect) {
    return allIn(error).stream()
        .filter(e -> e.getSQLState() != null || e.getErrorCode() != 0)
        .findFirst()
        .map(dialect::classify)
        .orElse(FailureKind.PERMANENT);
  }

  /**
   * Says what an exception of a statement of ours means. Two may say so by JDBC's type alone: a
   * pool that has no connection (HikariCP), and a statement that took too long (Connector/J). Of a
   * handler's, such a pool may be another one.
   */
  public static FailureKind kindOfOurs(Throwable error, StoreDialect dialect) {
    FailureKind kind = kindOf(error, dialect);
    if (kind != FailureKind.PERMANENT) {
      return kind;
    }
    List<SQLException> all = allIn(error);
    if (all.stream().anyMatch(SQLTransientConnectionException.class::isInstance)) {
      return FailureKind.OUTAGE;
    }
    return all.stream().anyMatch(SQLTimeoutException.class::isInstance)
        ? FailureKind.CANCELLED
        : FailureKind.PERMANENT;
  }

  /**
   * Returns what an exception says, and the last of its causes, if that is not in it: jOOQ says
   * only that a statement failed, a pool that it has no connection; why, the cause says.
   */
  public static String words(Throwable thrown) {
    Throwable root = causes(thrown).reduce((first, second) -> second).orElse(thrown);
    String words = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    String why = root.getMessage();
    return why == null || words.contains(why) ? words : words + ": " + why;
  }

  private static List<SQLException> allIn(Throwable error) {
    return causes(error)
        .filter(SQLException.class::isInstance)
        .map(SQLException.class::cast)
        .toList();
  }

  /** Returns an exception and its causes, each once. */
  private static Stream<Throwable> causes(Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    return Stream.<Throwable>iterate(error, Objects::nonNull, Throwable::getCause)
        .takeWhile(seen::add);
  }
}
