package io.txbox.testkit.database;

import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.database.MySqlServer.Product;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.mariadb.MariaDBContainer;
import org.testcontainers.mysql.MySQLContainer;

/**
 * Starts a MySQL or MariaDB in a container. Loaded only when it is asked for: Testcontainers is
 * optional.
 */
final class MySqlContainerServer {

  private static final int PORT = 3306;
  private static final String PASSWORD = "txbox";

  private MySqlContainerServer() {}

  static MySqlServer start(Product product) {
    try {
      if (DockerClientFactory.instance().isDockerAvailable()) {
        return running(product, product == Product.MYSQL ? mysql() : mariaDb());
      }
    } catch (NoClassDefFoundError e) {
      throw MySqlServer.missing(
          product,
          "it would be started in a container, but org.testcontainers:testcontainers-mysql (or"
              + " -mariadb) is not on the class path",
          e);
    }
    throw MySqlServer.missing(product, "no Docker engine answers", null);
  }

  private static JdbcDatabaseContainer<?> mysql() {
    return new MySQLContainer("mysql:9.5").withUsername("root").withPassword(PASSWORD);
  }

  private static JdbcDatabaseContainer<?> mariaDb() {
    return new MariaDBContainer("mariadb:11.4").withUsername("root").withPassword(PASSWORD);
  }

  private static MySqlServer running(Product product, JdbcDatabaseContainer<?> container) {
    container.setCommand("--max-connections=300");
    container.start();
    return MySqlServer.running(
        product,
        new Address(
            container.getHost(),
            container.getMappedPort(PORT),
            "",
            "root",
            container.getPassword()),
        container::stop);
  }
}
