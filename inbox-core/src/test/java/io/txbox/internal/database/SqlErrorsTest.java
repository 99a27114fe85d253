package io.txbox.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.store.FailureKind;
import io.txbox.store.StoreDialect;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.Test;

class SqlErrorsTest {
  @Test
  void aPoolWithoutAConnectionIsAnOutageThoughItGivesNoState() {
    assertThat(kindOf(new SQLTransientConnectionException("timed out")))
        .isEqualTo(FailureKind.OUTAGE);
    assertThat(kindOf(new SQLTimeoutException("timed out"))).isEqualTo(FailureKind.CANCELLED);
    assertThat(kindOf(new SQLException("timed out"))).isEqualTo(FailureKind.PERMANENT);
  }

  @Test
  void thePoolOfAHandlerIsNone() {
    Throwable error = new IllegalStateException(new SQLTransientConnectionException("timed out"));
    assertThat(SqlErrors.kindOf(error, DIALECT)).isEqualTo(FailureKind.PERMANENT);
  }

  @Test
  void aStateIsForTheDialect() {
    assertThat(kindOf(new SQLException("busy", "55P03"))).isEqualTo(FailureKind.LOCK_TIMEOUT);
  }

  @Test
  void saysWhyAStatementFailed() {
    Throwable error =
        new DataAccessException("Error while running", new SQLException("permission denied"));
    assertThat(SqlErrors.words(error)).isEqualTo("Error while running: permission denied");
    assertThat(SqlErrors.words(new DataAccessException("SQL [x]; no", new SQLException("no"))))
        .isEqualTo("SQL [x]; no");
    assertThat(SqlErrors.words(new IllegalStateException()))
        .isEqualTo("java.lang.IllegalStateException");
  }

  private static FailureKind kindOf(SQLException error) {
    return SqlErrors.kindOfOurs(new DataAccessException("Error while running", error), DIALECT);
  }

  private static final StoreDialect DIALECT =
      (StoreDialect)
          Proxy.newProxyInstance(
              StoreDialect.class.getClassLoader(),
              new Class<?>[] {StoreDialect.class},
              (proxy, method, arguments) ->
                  "55P03".equals(((SQLException) arguments[0]).getSQLState())
                      ? FailureKind.LOCK_TIMEOUT
                      : FailureKind.PERMANENT);
}
