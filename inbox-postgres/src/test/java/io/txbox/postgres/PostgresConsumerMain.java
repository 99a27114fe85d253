package io.txbox.postgres;

import io.txbox.testkit.contract.ConsumerProcessMain;

/** The consumer that {@link PostgresConsumerCrashIT} kills. */
final class PostgresConsumerMain {
  private PostgresConsumerMain() {}

  public static void main(String[] arguments) {
    ConsumerProcessMain.run(new PostgresDialect(), arguments);
  }
}
