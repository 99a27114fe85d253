package io.txbox.samples.payment;

import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.postgres.PostgresDialect;
import io.txbox.rocketmq.RocketMqProgress;
import java.util.Set;
import org.jooq.DSLContext;

/** Purges the inbox of {@link PaymentService}, whose consumers then have no janitor inside. */
final class PurgeService {
  private PurgeService() {}

  static Janitor start(DSLContext dsl, String nameServer) {
    // README: janitor
    RocketMqProgress progress =
        RocketMqProgress.builder("accounts")
            .nameServer(nameServer)
            .topics(Set.of("PAYMENT"))
            .build(); // for ACL: rpcHook(hook)
    Janitor janitor =
        Janitor.builder(dsl, new PostgresDialect())
            .group("accounts", Retention.ofDays(7), progress) // as the consumers say
            .build();
    janitor.start();
    // README: end
    return janitor;
  }
}
