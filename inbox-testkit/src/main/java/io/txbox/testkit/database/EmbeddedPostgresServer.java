package io.txbox.testkit.database;

import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.network.LoopbackPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * Starts a PostgreSQL from the binaries in the class path, as durable as one in production: the
 * library turns fsync and synchronous_commit off, and tests of what a crash leaves would prove
 * nothing.
 */
final class EmbeddedPostgresServer {

  private EmbeddedPostgresServer() {}

  static PostgresServer start() {
    EmbeddedPostgres server = run();
    return PostgresServer.running(
        new Address("127.0.0.1", server.getPort(), "postgres", "postgres", ""), () -> stop(server));
  }

  private static EmbeddedPostgres run() {
    try {
      return EmbeddedPostgres.builder()
          .setPort(LoopbackPorts.free())
          .setServerConfig("listen_addresses", "127.0.0.1")
          // Its socket would lie in /tmp, whichever folder it is given for temporary files.
          .setServerConfig("unix_socket_directories", "")
          .setServerConfig("fsync", "on")
          .setServerConfig("synchronous_commit", "on")
          .setServerConfig("full_page_writes", "on")
          .setServerConfig("max_connections", "300")
          .setPGStartupWait(Duration.ofSeconds(60))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("No embedded PostgreSQL", e);
    }
  }

  private static void stop(EmbeddedPostgres server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
