package io.txbox.mysql;

import io.txbox.testkit.contract.ConsumerProcessMain;

/** The consumer that {@link MySqlConsumerCrashIT} kills. */
final class MySqlConsumerMain {
  private MySqlConsumerMain() {}

  public static void main(String[] arguments) {
    ConsumerProcessMain.run(new MySqlDialect(), arguments);
  }
}
