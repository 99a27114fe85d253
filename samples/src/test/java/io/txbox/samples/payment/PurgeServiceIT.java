package io.txbox.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.janitor.Janitor;
import io.txbox.migrations.Migrations;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.database.DatabaseExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PurgeServiceIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Test
  void watchesHowFarTheGroupHasConsumed() {
    BROKER.broker().createTopic("PAYMENT", 2);

    try (Janitor janitor = PurgeService.start(DATABASE.database().dsl(), BROKER.nameServer())) {
      await().atMost(Duration.ofMinutes(1)).until(() -> janitor.health().lastPass().isPresent());
      assertThat(janitor.health().groups())
          .singleElement()
          .satisfies(
              group ->
                  assertThat(group.heldBy())
                      .hasValueSatisfying(why -> assertThat(why).contains("has been watched for")));
    }
  }
}
