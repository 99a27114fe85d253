package io.txbox.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.txbox.store.InboxSchema;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which schema of which database, and as whom: options that all commands have. */
final class Target {
  private static final String PASSWORD_VARIABLE = "TXBOX_DB_PASSWORD";
  private static final Duration CONNECT = Duration.ofSeconds(10);

  @Option(
      names = "--url",
      required = true,
      paramLabel = "JDBC-URL",
      description = "For instance jdbc:postgresql://localhost:5432/app.")
  private String url;

  @Option(names = "--user", description = "The database role.")
  private @Nullable String user;

  @Option(
      names = "--password",
      interactive = true,
      arity = "0..1",
      description = {
        "Its password; without a value it is asked for.",
        "Better than on the command line: the environment variable " + PASSWORD_VARIABLE + "."
      })
  private @Nullable String password;

  @Option(
      names = "--schema",
      description = "PostgreSQL schema or MySQL database (default: the connection's).")
  private @Nullable String schema;

  @Option(
      names = "--accept-lost-commits",
      description = "MySQL, MariaDB: go on though the server may lose commits.")
  private boolean acceptLostCommits;

  @SuppressWarnings("NullAway.Init")
  private Target() {}

  /**
   * Refuses what can be seen to be wrong without the database.
   *
   * @throws IllegalArgumentException if it is
   */
  void check() {
    Vendor unused = Vendor.of(url);
    if (schema != null && schema.isBlank()) {
      throw new IllegalArgumentException(
          "--schema must not be blank, but was '"
              + schema
              + "': name a schema, or leave the option out for the connection's");
    }
  }

  /** Connects. */
  OpenDatabase open() {
    Vendor vendor = Vendor.of(url);
    HikariConfig config = new HikariConfig();
    config.setPoolName("inbox-cli");
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT.toMillis());
    config.setUsername(user);
    config.setPassword(password != null ? password : System.getenv(PASSWORD_VARIABLE));
    HikariDataSource pool = pool(config);
    return new OpenDatabase(
        pool,
        vendor.jooq(pool),
        vendor.store(acceptLostCommits),
        schema == null ? InboxSchema.ofConnection() : InboxSchema.named(schema));
  }

  private HikariDataSource pool(HikariConfig config) {
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "The database " + Vendor.withoutSecrets(url) + " does not answer: " + cause.getMessage(),
          e);
    }
  }
}
