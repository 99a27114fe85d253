package io.txbox.internal.database;

import io.txbox.store.FailureKind;
import io.txbox.store.StoreDialect;
import java.sql.SQLException;
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

  /**
   * Says what an exception means; {@link FailureKind#PERMANENT} if no SQL error is in it that says
   * more. A pool that has no connection says so by JDBC's type for that, and HikariCP without an
   * SQLState.
   */
  public static FailureKind kindOf(Throwable error, StoreDialect dialect) {
    List<SQLException> all = allIn(error);
    return all.stream()
        .filter(e -> e.getSQLState() != null || e.getErrorCode() != 0)
        .findFirst()
        .map(dialect::classify)
        .orElse(
            all.stream().anyMatch(SQLTransientConnectionException.class::isInstance)
                ? FailureKind.OUTAGE
                : FailureKind.PERMANENT);
  }

  /**
   * Returns what an exception says, and the last of its causes, if that is not in it: jOOQ says
   * only that a statement failed, a pool that it has no connection; why, the cause says.
   */
  public static String words(Throwable thrown) {
    Throwable root = causes(thrown).reduce((first, second) -> second).orElse(thrown);
    String words = String.valueOf(thrown.getMessage());
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
