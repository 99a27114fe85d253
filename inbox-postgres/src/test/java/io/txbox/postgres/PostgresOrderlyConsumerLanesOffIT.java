package io.txbox.postgres;

import org.junit.jupiter.api.Tag;

/** The orderly consumer with one transaction for each message. */
@Tag("slow")
class PostgresOrderlyConsumerLanesOffIT extends PostgresOrderlyConsumerIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
