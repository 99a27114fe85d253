package io.txbox.testkit.database;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.SQLDialect;
import org.jspecify.annotations.Nullable;

/** A MySQL or MariaDB server: where the environment says, in a container, or started here. */
final class MySqlServer implements DatabaseServer {

  private final Product product;
  private final Address maintenance;
  private final Runnable stop;

  private MySqlServer(Product product, Address maintenance, Runnable stop) {
    this.product = product;
    this.maintenance = maintenance;
    this.stop = stop;
  }

  /** The two products, each spoken to by its own driver. */
  enum Product {
    MYSQL("jdbc:mysql", SQLDialect.MYSQL, "TXBOX_MYSQL", "container"),
    MARIADB("jdbc:mariadb", SQLDialect.MARIADB, "TXBOX_MARIADB", "embedded");

    private final String protocol;
    private final SQLDialect dialect;
    private final String variable;
    private final String kindByDefault;

    Product(String protocol, SQLDialect dialect, String variable, String kindByDefault) {
      this.protocol = protocol;
      this.dialect = dialect;
      this.variable = variable;
      this.kindByDefault = kindByDefault;
    }

    /** The variable of the environment that says which kind of server is wanted. */
    String kind() {
      return variable;
    }

    /** The variable of the environment that says where a server is. */
    String url() {
      return variable + "_URL";
    }
  }

  static MySqlServer start(Product product, Map<String, String> environment) {
    String url = environment.get(product.url());
    if (url != null) {
      return at(product, url);
    }
    String kind = environment.getOrDefault(product.kind(), product.kindByDefault);
    if (kind.equals("container")) {
      return MySqlContainerServer.start(product);
    }
    if (kind.equals("embedded") && product == Product.MARIADB) {
      return EmbeddedMariaDbServer.start();
    }
    throw new IllegalArgumentException(product.kind() + " is not known: " + kind);
  }

  /** Returns that there is no server, and what to do. */
  static MissingServerException missing(Product product, String reason, @Nullable Throwable cause) {
    return new MissingServerException(
        "%s: start a server, by .ci/mysql-server for one, and set %s=%s://host:port/?user=u&password=p in the environment, or start a Docker engine"
            .formatted(reason, product.url(), product.protocol),
        cause);
  }

  /**
   * Returns the server that an address like {@code jdbc:mysql://host:port/?user=u&password=p}
   * names.
   */
  static MySqlServer at(Product product, String url) {
    URI parsed = URI.create(url.replaceFirst("^jdbc:", ""));
    if (parsed.getHost() == null || !url.startsWith(product.protocol + ":")) {
      throw new IllegalArgumentException(
          "Not an address like " + product.protocol + "://host:port/?user=u&password=p: " + url);
    }
    Map<String, String> parameters = parameters(parsed);
    return new MySqlServer(
        product,
        new Address(
            parsed.getHost(),
            parsed.getPort() < 0 ? 3306 : parsed.getPort(),
            "",
            parameters.getOrDefault("user", "root"),
            parameters.getOrDefault("password", "")),
        () -> {});
  }

  private static Map<String, String> parameters(URI address) {
    String query = address.getRawQuery();
    return Arrays.stream((query == null ? "" : query).split("&"))
        .map(parameter -> parameter.split("=", 2))
        .filter(parameter -> parameter.length == 2)
        .collect(
            Collectors.toMap(
                parameter -> parameter[0],
                parameter -> URLDecoder.decode(parameter[1], StandardCharsets.UTF_8)));
  }

  static MySqlServer running(Product product, Address maintenance, Runnable stop) {
    return new MySqlServer(product, maintenance, stop);
  }

  @Override
  public String jdbcUrl(Address address) {
    return "%s://%s:%d/%s"
        .formatted(product.protocol, address.host(), address.port(), address.database());
  }

  @Override
  public SQLDialect dialect() {
    return product.dialect;
  }

  @Override
  public Address create(String database) {
    execute("CREATE DATABASE `" + database + "`");
    return new Address(
        maintenance.host(),
        maintenance.port(),
        database,
        maintenance.user(),
        maintenance.password());
  }

  /** {@inheritDoc} An open transaction would keep it from that, for as long as it lasts. */
  @Override
  public void drop(String database) {
    run(
        statement -> {
          for (long session : sessionsOf(database, statement)) {
            try {
              statement.execute("KILL " + session);
            } catch (SQLException e) {
              if (e.getErrorCode() != 1094) { // Unknown thread: it has just ended by itself.
                throw e;
              }
            }
          }
          statement.execute("DROP DATABASE IF EXISTS `" + database + "`");
        });
  }

  private static List<Long> sessionsOf(String database, Statement statement) throws SQLException {
    List<Long> sessions = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT id FROM information_schema.processlist WHERE db = '" + database + "'")) {
      while (rows.next()) {
        sessions.add(rows.getLong(1));
      }
    }
    return sessions;
  }

  /** {@inheritDoc} By its offset without daylight saving, since a server may know no names. */
  @Override
  public String setTimeZone(ZoneId zone) {
    return "SET time_zone = '" + zone.getRules().getStandardOffset(Instant.now()) + "'";
  }

  @Override
  public String describeBusySessions() {
    return "SELECT CONCAT('session ', p.id, ', ', IF(p.command = 'Sleep', 'idle in transaction',"
        + " p.command), ': ', COALESCE(p.info, 'nothing')) FROM information_schema.processlist p"
        + " LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id"
        + " WHERE p.db = DATABASE() AND p.id <> CONNECTION_ID()"
        + " AND (p.command <> 'Sleep' OR t.trx_id IS NOT NULL)";
  }

  private void execute(String sql) {
    run(statement -> statement.execute(sql));
  }

  private void run(Work work) {
    try (Connection connection =
            DriverManager.getConnection(
                jdbcUrl(maintenance), maintenance.user(), maintenance.password());
        Statement statement = connection.createStatement()) {
      work.with(statement);
    } catch (SQLException e) {
      String found = product + " at " + jdbcUrl(maintenance) + ": " + e.getMessage();
      throw String.valueOf(e.getSQLState()).matches("(08|28).*")
          ? new MissingServerException(found, e)
          : new IllegalStateException(found, e);
    }
  }

  @Override
  public void close() {
    stop.run();
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }
}
