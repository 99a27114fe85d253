package io.txbox.testkit.database;

import io.txbox.testkit.Excuse;
import io.txbox.testkit.database.DatabaseServer.Address;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * Starts a PostgreSQL in a container. Loaded only when it is asked for: Testcontainers is optional.
 */
final class PostgresContainerServer {

  private static final String IMAGE = "postgres:17";

  private PostgresContainerServer() {}

  static PostgresServer start() {
    try {
      return startContainer();
    } catch (NoClassDefFoundError e) {
      throw Excuse.orFail(
          "docker",
          PostgresServer.KIND
              + "=container needs org.testcontainers:testcontainers-postgresql on the class path",
          e);
    }
  }

  private static PostgresServer startContainer() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw Excuse.orFail(
          "docker",
          PostgresServer.KIND
              + "=container, but no Docker engine answers; leave it out for the"
              + " embedded PostgreSQL, or set "
              + PostgresServer.URL);
    }
    PostgreSQLContainer container =
        new PostgreSQLContainer(IMAGE).withCommand("postgres", "-c", "max_connections=300");
    container.start();
    return PostgresServer.running(
        new Address(
            container.getHost(),
            container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
            container.getDatabaseName(),
            container.getUsername(),
            container.getPassword()),
        container::stop);
  }
}
