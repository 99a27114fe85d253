package io.txbox.cli;

import io.txbox.mysql.MySqlDialect;
import io.txbox.postgres.PostgresDialect;
import io.txbox.store.StoreDialect;
import java.util.Arrays;
import java.util.Locale;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The databases that we know, by the beginning of their address. */
enum Vendor {
  POSTGRESQL("jdbc:postgresql:", SQLDialect.POSTGRES),
  MYSQL("jdbc:mysql:", SQLDialect.MYSQL),
  MARIADB("jdbc:mariadb:", SQLDialect.MARIADB);

  private final String scheme;
  private final SQLDialect jooq;

  Vendor(String scheme, SQLDialect jooq) {
    this.scheme = scheme;
    this.jooq = jooq;
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
                        + withoutSecrets(url)
                        + "'"));
  }

  /** An address may carry a password, before its host or among its parameters. */
  static String withoutSecrets(String url) {
    return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//***@");
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

  StoreDialect store(boolean acceptLostCommits) {
    if (this == POSTGRESQL) {
      return new PostgresDialect();
    }
    return acceptLostCommits ? MySqlDialect.acceptLostCommits() : new MySqlDialect();
  }
}
