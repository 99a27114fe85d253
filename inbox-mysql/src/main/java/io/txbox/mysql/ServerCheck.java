package io.txbox.mysql;

import io.txbox.SetupException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks at the start what an inbox would not be true on. */
final class ServerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(MySqlDialect.class);

  /** Text that only UTF-8 carries whole, and that a driver must quote as the server reads it. */
  private static final String PROBE = "ä€😀 \\'";

  /** They run a part of a transaction again, or go on after it, on another connection. */
  private static final List<String> REFUSED_PROPERTIES =
      List.of("autoReconnect", "autoReconnectForPools", "transactionReplay");

  /** Connector/J's addresses with servers to fail over to. */
  private static final Pattern HOSTS =
      Pattern.compile("(?i)jdbc:mysql://(?:[^/?@]*@)?(?<hosts>[^/?]*).*");

  private static final Pattern VERSION = Pattern.compile("(?:5\\.5\\.5-)?(\\d+)\\.(\\d+)\\..*");

  private final SQLDialect family;
  private final Map<String, String> settings;
  private final String echoed;
  private final String url;
  private final boolean inTransaction;

  private ServerCheck(
      SQLDialect family,
      Map<String, String> settings,
      String echoed,
      String url,
      boolean inTransaction) {
    this.family = family;
    this.settings = settings;
    this.echoed = echoed;
    this.url = url;
    this.inTransaction = inTransaction;
  }

  static ServerCheck of(DSLContext dsl) {
    Map<String, String> settings =
        dsl.resultQuery(
                """
                SHOW VARIABLES WHERE variable_name IN ('version', 'innodb_flush_log_at_trx_commit',
                  'log_bin', 'sync_binlog', 'binlog_format', 'unique_checks', 'completion_type', 'autocommit',
                  'sql_safe_updates')
                """)
            .fetchMap(
                row -> row.get(0, String.class).toLowerCase(Locale.ROOT),
                row -> row.get(1, String.class));
    String echoed =
        dsl.resultQuery("SELECT HEX(CAST(? AS BINARY))", PROBE).fetchSingle(0, String.class);
    String url = dsl.connectionResult(connection -> connection.getMetaData().getURL());
    boolean inTransaction = dsl.connectionResult(connection -> !connection.getAutoCommit());
    return new ServerCheck(dsl.family(), settings, echoed, url == null ? "" : url, inTransaction);
  }

  void run(boolean acceptsLostCommits) {
    complete();
    version();
    text();
    session();
    durability(acceptsLostCommits);
  }

  private void complete() {
    if (setting("version").isEmpty()) {
      throw new SetupException(
          "The server does not give all rows of an answer, as with sql_select_limit: leave that at"
              + " its default");
    }
  }

  private void version() {
    String version = setting("version");
    boolean mariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb");
    Matcher parts = VERSION.matcher(version);
    int number =
        parts.matches()
            ? 1000 * Integer.parseInt(parts.group(1)) + Integer.parseInt(parts.group(2))
            : 0;
    if (number < (mariaDb ? 10_011 : 8_004)) {
      throw new SetupException(
          "txbox needs MySQL 8.4 or MariaDB 10.11, or newer, but the server is " + version);
    }
    if (mariaDb != (family == SQLDialect.MARIADB)) {
      throw new SetupException(
          "dsl has the jOOQ dialect %s, but the server is %s: make it by DSL.using(dataSource, SQLDialect.%s)"
              .formatted(family, version, mariaDb ? "MARIADB" : "MYSQL"));
    }
  }

  private void text() {
    if (!echoed.equals(
        HexFormat.of().withUpperCase().formatHex(PROBE.getBytes(StandardCharsets.UTF_8)))) {
      throw new SetupException(
          "Text does not reach the server as it is, so that two dedup keys could become one: take"
              + " characterEncoding, and a SET of character sets, out of the driver's and the pool's"
              + " settings, and NO_BACKSLASH_ESCAPES, which MySQL's driver does not heed, out of"
              + " sql_mode");
    }
  }

  private void session() {
    if (setting("unique_checks").equals("OFF")) {
      throw new SetupException(
          "The session has unique_checks=0, which lets the server skip the check that a claim"
              + " rests on: leave it on");
    }
    if (!setting("completion_type").equals("NO_CHAIN")) {
      throw new SetupException(
          "The session has completion_type="
              + setting("completion_type")
              + ", so that the end of one transaction would begin another, or end the session: leave"
              + " it at NO_CHAIN");
    }
    if (inTransaction && setting("autocommit").equals("ON")) {
      throw new SetupException(
          "The session has autocommit=1 in a transaction: something, such as the pool's initial SQL,"
              + " sets it behind the driver's back. Leave it to the driver");
    }
    if (family == SQLDialect.MARIADB && setting("sql_safe_updates").equals("ON")) {
      throw new SetupException(
          "The session has sql_safe_updates=1, with which MariaDB refuses the purge, though it goes"
              + " by keys: leave it off for txbox's connections");
    }
    if (setting("log_bin").equals("ON") && setting("binlog_format").equals("STATEMENT")) {
      throw new SetupException(
          "The server has binlog_format=STATEMENT, with which InnoDB refuses to write at READ"
              + " COMMITTED: set it to ROW or MIXED");
    }
    for (String property : REFUSED_PROPERTIES) {
      if (url.matches("(?i).*[?&]" + property + "=true(&.*)?")) {
        throw new SetupException(
            "The driver has "
                + property
                + "=true, and would go on with a transaction on another connection than it began"
                + " on: leave it out of the address");
      }
    }
    if (namesSeveral() && !url.matches("(?i).*[?&]failOverReadOnly=false(&.*)?")) {
      throw new SetupException(
          "The address names several servers, and MySQL's driver takes those behind the first for"
              + " read-only, so that after a failover no message could be handled: add"
              + " failOverReadOnly=false to the address");
    }
  }

  private boolean namesSeveral() {
    Matcher address = HOSTS.matcher(url);
    // What stands in parentheses describes one server.
    return address.matches() && address.group("hosts").replaceAll("\\([^)]*\\)", "").contains(",");
  }

  private void durability(boolean accepted) {
    String flush = setting("innodb_flush_log_at_trx_commit");
    if (!flush.equals("1")) {
      lost("innodb_flush_log_at_trx_commit=" + flush, accepted);
    }
    String sync = setting("sync_binlog");
    if (setting("log_bin").equals("ON") && !sync.equals("1")) {
      lost("sync_binlog=" + sync, accepted);
    }
  }

  private static void lost(String setting, boolean accepted) {
    if (!accepted) {
      throw new SetupException(
          "The server has "
              + setting
              + " and may lose what it has committed: a message that was acknowledged, and its"
              + " effects. Set it to 1, or say MySqlDialect.acceptLostCommits()");
    }
    LOG.warn(
        "The server has {}: when it or its machine dies, messages that were acknowledged are lost"
            + " with their effects. Set it to 1",
        setting);
  }

  private String setting(String name) {
    return settings.getOrDefault(name, "");
  }
}
