package io.txbox.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.txbox.internal.database.SqlErrors;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which schema of which database, and as whom: options that all commands have. */
final class Target {
  private static final String PASSWORD_VARIABLE = "TXBOX_DB_PASSWORD";
  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** Longer than any statement of a janitor's may take; else a silent database would hold us. */
  private static final Duration ANSWER = Duration.ofSeconds(70);

  @Option(
      names = "--url",
      required = true,
      paramLabel = "JDBC-URL",
      description = {
        "jdbc:postgresql://HOST:PORT/DATABASE,",
        "jdbc:mysql://HOST:PORT/DATABASE or",
        "jdbc:mariadb://HOST:PORT/DATABASE."
      })
  private String url;

  @Option(names = "--user", description = "The database role.")
  private @Nullable String user;

  @Option(
      names = "--password",
      interactive = true,
      arity = "0..1",
      prompt = "Password of the database role: ",
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

  /** Says how the tables come into the schema. */
  String migration() {
    return Migration.of(url, schema);
  }

  /**
   * Connects.
   *
   * @throws IllegalArgumentException if the connection has no schema, and none is said
   */
  OpenDatabase open() {
    Vendor vendor = Vendor.of(url);
    StoreDialect dialect = vendor.store(acceptLostCommits);
    HikariConfig config = new HikariConfig();
    config.setPoolName("inbox-cli");
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECT.toMillis());
    vendor.setSocketTimeout(config, ANSWER);
    config.setUsername(user);
    config.setPassword(password != null ? password : System.getenv(PASSWORD_VARIABLE));
    HikariDataSource pool = pool(config, dialect);
    DSLContext dsl = vendor.jooq(pool);
    if (schema == null && !vendor.hasCurrentSchema(dsl)) {
      pool.close();
      throw new IllegalArgumentException(withoutSchema(vendor));
    }
    return new OpenDatabase(
        pool,
        dsl,
        dialect,
        schema == null ? InboxSchema.ofConnection() : InboxSchema.named(schema));
  }

  private String withoutSchema(Vendor vendor) {
    return vendor == Vendor.POSTGRESQL
        ? "No schema of the role's search path exists: name one by --schema"
        : "--url '"
            + Address.withoutSecrets(url)
            + "' names no database: put its name behind the port, as in "
            + "//HOST:PORT/DATABASE, or name it by --schema";
  }

  private HikariDataSource pool(HikariConfig config, StoreDialect dialect) {
    String shown = Address.withoutSecrets(url);
    try {
      return new HikariDataSource(config);
    } catch (PoolInitializationException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      FailureKind kind = SqlErrors.kindOf(e, dialect);
      boolean answers = kind != FailureKind.OUTAGE && kind != FailureKind.BROKEN_OFF;
      throw new IllegalStateException(
          "The database "
              + shown
              + (answers ? " cannot be used: " : " does not answer: ")
              + Address.withoutSecrets(url, String.valueOf(cause.getMessage())),
          e);
    } catch (RuntimeException e) { // HikariCP's, which says the whole address: so it is no cause.
      throw new IllegalArgumentException(
          "--url '" + shown + "' is none that the database's driver can read");
    }
  }
}
