package io.txbox.testkit.database;

import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps a database for as long as its parent lives: says on the standard output where it is, waits
 * until the parent has gone, drops the database, stops the server if it is its own, and deletes all
 * of its files.
 */
final class ServerMain {
  static final String READY = "ready";
  static final String MISSING = "missing";

  private ServerMain() {}

  /**
   * Takes the kind of server, and the folder that is this JVM's for temporary files, and so the
   * server's for all files.
   */
  public static void main(String[] args) {
    Parent parent = Parent.ofThisJvm();
    try {
      keep(ServerProcess.Kind.valueOf(args[0]).start(), parent);
    } catch (MissingServerException e) {
      parent.answer(MISSING);
      parent.answer(String.valueOf(e.getMessage()).replaceAll("\\s+", " ")); // An answer is a line.
    }
    parent.dieWithIt(new TempFolder(Path.of(args[1])));
  }

  private static void keep(DatabaseServer server, Parent parent) {
    // On a server that others use too, a name that nobody else has.
    String name = "txbox_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    AtomicBoolean open = new AtomicBoolean(true);
    Runnable end =
        () -> {
          if (open.getAndSet(false)) {
            try (server) {
              server.drop(name);
            }
          }
        };
    // Ctrl-C is for this process too.
    Runtime.getRuntime().addShutdownHook(new Thread(end, "end"));
    Address address = server.create(name);
    List.of(
            READY,
            address.host(),
            String.valueOf(address.port()),
            name,
            address.user(),
            address.password())
        .forEach(parent::answer);
    while (parent.nextOrder() != null) {
      // Nothing is obeyed.
    }
    end.run();
  }
}
