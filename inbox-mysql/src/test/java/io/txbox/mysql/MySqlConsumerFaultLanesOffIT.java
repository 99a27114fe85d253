package io.txbox.mysql;

import org.junit.jupiter.api.Tag;

/** The consumer under faults with one transaction for each message. */
@Tag("slow")
class MySqlConsumerFaultLanesOffIT extends MySqlConsumerFaultIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
