package io.txbox.mysql;

import org.junit.jupiter.api.Tag;

/** The orderly consumer with one transaction for each message. */
@Tag("slow")
class MySqlOrderlyConsumerLanesOffIT extends MySqlOrderlyConsumerIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
