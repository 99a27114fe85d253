package io.txbox.postgres;

import org.junit.jupiter.api.Tag;

/** The consumer with one transaction for each message. */
@Tag("slow")
class PostgresConsumerLanesOffIT extends PostgresConsumerIT {
  @Override
  protected int maxBatch() {
    return 1;
  }
}
