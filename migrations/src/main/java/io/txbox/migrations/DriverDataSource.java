package io.txbox.migrations;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens a connection by its address, with whichever driver on the class path knows it. */
final class DriverDataSource implements DataSource {

  private static final String NO_DRIVER = "08001";

  private final String url;
  private final Properties properties = new Properties();

  DriverDataSource(String url, @Nullable String user, @Nullable String password) {
    this.url = url;
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", password);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (DriverManager.drivers().noneMatch(this::accepts)) {
      throw new SQLException(
          "no driver on the class path knows the address %s. With a driver of your own: %s"
              .formatted(Address.withoutSecrets(url), Commands.withDriver()),
          NO_DRIVER);
    }
    try {
      return DriverManager.getConnection(url, properties);
    } catch (SQLException e) {
      String words = Address.withoutSecrets(url, String.valueOf(e.getMessage()));
      if (words.equals(e.getMessage())) {
        throw e;
      }
      throw new SQLException(words, e.getSQLState(), e.getErrorCode()); // The cause would say it.
    }
  }

  private boolean accepts(Driver driver) {
    try {
      return driver.acceptsURL(url);
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return new DriverDataSource(url, user, password).getConnection();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
