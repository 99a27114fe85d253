package io.txbox.mysql;

import org.junit.jupiter.api.Tag;

/** The consumer with one transaction for each message. */
@Tag("slow")
class MySqlConsumerLanesOffIT extends MySqlConsumerIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
