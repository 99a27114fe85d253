package io.txbox.testkit.database;

import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.List;

/** A child JVM that runs {@link PostgresMain}. */
final class PostgresProcess {

  private PostgresProcess() {}

  /** Starts a child JVM, and returns once its server is ready. */
  static PostgresServer start() {
    TempFolder folder = TempFolder.create("txbox-postgres-");
    try {
      ChildJvm child =
          ChildJvm.start(
              folder.path(), List.of("-Xmx192m"), PostgresMain.class, folder.path().toString());
      return EmbeddedPostgresServer.running(
          Integer.parseInt(child.answer()),
          () -> {
            child.end();
            folder.close();
          });
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }
}
