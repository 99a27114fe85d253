package io.txbox.cli;

import com.zaxxer.hikari.HikariConfig;
import io.txbox.mysql.MySqlDialect;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The databases that we know, by the beginning of their address. */
enum Vendor {
  POSTGRESQL("jdbc:postgresql:", SQLDialect.POSTGRES, "current_schema()", ChronoUnit.SECONDS),
  MYSQL("jdbc:mysql:", SQLDialect.MYSQL, "database()", ChronoUnit.MILLIS),
  MARIADB("jdbc:mariadb:", SQLDialect.MARIADB, "database()", ChronoUnit.MILLIS);

  private final String scheme;
  private final SQLDialect jooq;
  private final String currentSchema;
  private final ChronoUnit socketTimeout;

  Vendor(String scheme, SQLDialect jooq, String currentSchema, ChronoUnit socketTimeout) {
    this.scheme = scheme;
    this.jooq = jooq;
    this.currentSchema = currentSchema;
    this.socketTimeout = socketTimeout;
  }

  static Vendor of(String url) {
    return Arrays.stream(values())
        .filter(vendor -> url.startsWith(vendor.scheme))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--url must begin with jdbc:postgresql:, jdbc:mysql: or jdbc:mariadb:, but was"
                        + " '"
                        + Address.withoutSecrets(url)
                        + "'"));
  }

  /** Returns jOOQ on this pool. MySQL's driver connects to MariaDB as well. */
  DSLContext jooq(DataSource pool) {
    DSLContext dsl = DSL.using(pool, jooq);
    boolean isMariaDb =
        this == MYSQL
            && String.valueOf(dsl.fetchValue("SELECT version()"))
                .toLowerCase(Locale.ROOT)
                .contains("mariadb");
    return isMariaDb ? DSL.using(pool, SQLDialect.MARIADB) : dsl;
  }

  /** Sets how long the driver waits for an answer, in its own unit; an address may say another. */
  void setSocketTimeout(HikariConfig config, Duration timeout) {
    config.addDataSourceProperty(
        "socketTimeout", String.valueOf(timeout.dividedBy(socketTimeout.getDuration())));
  }

  /** Says whether the connection has a schema (MySQL: a database) of its own. */
  boolean hasCurrentSchema(DSLContext dsl) {
    return dsl.fetchValue("SELECT " + currentSchema) != null;
  }

  StoreDialect store(boolean acceptLostCommits) {
    if (this == POSTGRESQL) {
      return new PostgresDialect();
    }
    return acceptLostCommits ? MySqlDialect.acceptLostCommits() : new MySqlDialect();
  }
}
