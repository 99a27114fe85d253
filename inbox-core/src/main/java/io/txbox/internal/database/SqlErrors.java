package io.txbox.internal.database;

import io.txbox.store.FailureKind;
import io.txbox.store.StoreDialect;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

/** Finds what an exception means by the SQL errors in its cause chain. */
public final class SqlErrors {
  private SqlErrors() {}

  /** Says what an exception means; {@link FailureKind#PERMANENT} if no SQL error is in it. */
  public static FailureKind kindOf(Throwable error, StoreDialect dialect) {
    return firstIn(error).map(dialect::classify).orElse(FailureKind.PERMANENT);
  }

  private static Optional<SQLException> firstIn(Throwable error) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      if (e instanceof SQLException sql && (sql.getSQLState() != null || sql.getErrorCode() != 0)) {
        return Optional.of(sql);
      }
    }
    return Optional.empty();
  }
}
