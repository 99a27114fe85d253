package io.txbox.mysql;

import org.junit.jupiter.api.Tag;

/** The consumer under faults with one transaction for each message. */
@Tag("slow")
class MariaDbConsumerFaultLanesOffIT extends MariaDbConsumerFaultIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
