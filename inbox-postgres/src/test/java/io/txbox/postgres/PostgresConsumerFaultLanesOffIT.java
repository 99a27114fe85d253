package io.txbox.postgres;

import org.junit.jupiter.api.Tag;

/** The consumer under faults with one transaction for each message. */
@Tag("slow")
class PostgresConsumerFaultLanesOffIT extends PostgresConsumerFaultIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
