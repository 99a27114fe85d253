package io.txbox.testkit.database;

import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.database.MySqlServer.Product;
import io.txbox.testkit.process.ChildJvm;
import io.txbox.testkit.process.TempFolder;
import java.util.List;
import java.util.Locale;

/**
 * A child JVM that runs {@link ServerMain}, and so keeps one database.
 *
 * @param server which is closed with it
 * @param address the database's
 */
record ServerProcess(DatabaseServer server, Address address) {

  /** What is started, or found, in the child. */
  enum Kind {
    POSTGRES {
      @Override
      DatabaseServer start() {
        return EmbeddedPostgresServer.start();
      }

      @Override
      DatabaseServer running(Address address, Runnable stop) {
        return PostgresServer.running(address, stop);
      }
    },
    MYSQL {
      @Override
      DatabaseServer start() {
        try {
          return MySqlServer.start(Product.MYSQL, System.getenv());
        } catch (IllegalArgumentException e) {
          throw new MissingServerException(String.valueOf(e.getMessage()), e);
        }
      }

      @Override
      DatabaseServer running(Address address, Runnable stop) {
        return MySqlServer.running(Product.MYSQL, address, stop);
      }
    },
    MARIADB {
      @Override
      DatabaseServer start() {
        return EmbeddedMariaDbServer.start();
      }

      @Override
      DatabaseServer running(Address address, Runnable stop) {
        return MySqlServer.running(Product.MARIADB, address, stop);
      }
    };

    /**
     * Starts a server, or finds it.
     *
     * @throws MissingServerException if neither can be done
     */
    abstract DatabaseServer start();

    /** Returns a server that somebody else runs. */
    abstract DatabaseServer running(Address address, Runnable stop);
  }

  /**
   * Starts a child JVM, and returns once its database is there.
   *
   * @throws MissingServerException if there is no server for it
   */
  static ServerProcess start(Kind kind) {
    TempFolder folder = TempFolder.create("txbox-" + kind.name().toLowerCase(Locale.ROOT) + "-");
    try {
      ChildJvm child =
          ChildJvm.start(
              folder.path(),
              List.of("-Xmx192m"),
              ServerMain.class,
              kind.name(),
              folder.path().toString());
      Address address = address(child);
      return new ServerProcess(
          kind.running(
              address,
              () -> {
                child.end();
                folder.close();
              }),
          address);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private static Address address(ChildJvm child) {
    String first = next(child);
    if (first.equals(ServerMain.MISSING)) {
      String reason = next(child);
      child.end();
      throw new MissingServerException(reason, null);
    }
    return new Address(
        next(child), Integer.parseInt(next(child)), next(child), next(child), next(child));
  }

  /**
   * Waits for as long as it takes: an image may have to be loaded, and servers end by themselves.
   */
  private static String next(ChildJvm child) {
    String answer = child.nextAnswer();
    if (answer == null) {
      child.kill();
      throw new IllegalStateException("The database does not start:\n" + child.log());
    }
    return answer;
  }
}
