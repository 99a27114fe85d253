package io.txbox.migrations;

import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.List;

/** A child JVM that migrates when it is told to, and can be killed while it does. */
final class MigrationProcess implements AutoCloseable {

  private final TempFolder folder;
  private final ChildJvm child;

  private MigrationProcess(TempFolder folder, ChildJvm child) {
    this.folder = folder;
    this.child = child;
  }

  /** Starts a JVM; that it runs is to be waited for by {@link #awaitStart}. */
  static MigrationProcess start() {
    TempFolder folder = TempFolder.create("txbox-migration-");
    return new MigrationProcess(
        folder,
        ChildJvm.start(
            folder.path(),
            List.of("-Xmx128m"),
            MigrationProcessMain.class,
            folder.path().toString()));
  }

  void awaitStart() {
    child.await(MigrationProcessMain.READY);
  }

  /** Orders something for that moment, in epoch milliseconds, and does not wait for it. */
  void order(String what, long at, TestDatabase database, String schema) {
    order(what, at, database.url(), "postgres", schema);
  }

  void order(String what, long at, String url, String user, String schema) {
    child.order(String.join("\t", what, Long.toString(at), url, user, schema));
  }

  void awaitDone() {
    child.await(MigrationProcessMain.DONE);
  }

  long pid() {
    return child.handle().pid();
  }

  /** Kills it (SIGKILL) and waits until it is gone. */
  void kill() {
    child.kill();
  }

  @Override
  public void close() {
    kill();
    folder.close();
  }
}
