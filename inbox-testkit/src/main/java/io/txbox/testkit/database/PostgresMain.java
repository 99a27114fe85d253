package io.txbox.testkit.database;

import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;

/**
 * Keeps a PostgreSQL for as long as its parent lives: says the port on the standard output, waits
 * until the parent has gone, stops the server, and deletes all of its files.
 */
final class PostgresMain {

  private PostgresMain() {}

  /** Takes the folder that is this JVM's for temporary files, and so the server's for all files. */
  public static void main(String[] args) {
    Parent parent = Parent.ofThisJvm();
    EmbeddedPostgres server = EmbeddedPostgresServer.run();
    parent.answer(String.valueOf(server.getPort()));
    while (parent.nextOrder() != null) {
      // Nothing is obeyed.
    }
    EmbeddedPostgresServer.stop(server);
    parent.dieWithIt(new TempFolder(Path.of(args[0])));
  }
}
