package io.txbox.migrations;

import io.txbox.testkit.process.Parent;
import io.txbox.testkit.process.TempFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An instance of a service that does as it is told: {@code migrate} or {@code rollback}, and then,
 * by tabs, the moment in epoch milliseconds, the address, the user and the schema.
 */
final class MigrationProcessMain {

  static final String READY = "ready";
  static final String DONE = "done";

  private MigrationProcessMain() {}

  public static void main(String... arguments) {
    Parent parent = Parent.ofThisJvm();
    parent.answer(READY);
    for (String order = parent.nextOrder(); order != null; order = parent.nextOrder()) {
      parent.answer(obey(List.of(order.split("\t", -1))));
    }
    new TempFolder(Path.of(arguments[0])).close();
  }

  private static String obey(List<String> order) {
    Migrations migrations =
        Migrations.builder(new DriverDataSource(order.get(2), order.get(3), null))
            .schema(order.get(4))
            .build();
    long at = Long.parseLong(order.get(1));
    for (long left = at - now(); left > 0; left = at - now()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(left));
    }
    try {
      if (order.get(0).equals("migrate")) {
        migrations.migrate();
      } else {
        migrations.rollback();
      }
      return DONE;
    } catch (RuntimeException e) {
      e.printStackTrace();
      return e.toString().lines().findFirst().orElse("");
    }
  }

  private static long now() {
    return System.currentTimeMillis();
  }
}
