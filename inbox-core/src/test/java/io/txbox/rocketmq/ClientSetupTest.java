package io.txbox.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.junit.jupiter.api.Test;

class ClientSetupTest {
  private final DefaultMQPushConsumer client = new DefaultMQPushConsumer("g");

  @Test
  void theLastAttemptIsTheOneAfterAllRedeliveries() {
    assertThat(ClientSetup.lastAttempt(client, false)).isEqualTo(17);

    client.setMaxReconsumeTimes(1);

    assertThat(ClientSetup.lastAttempt(client, false)).isEqualTo(2);
    assertThat(ClientSetup.lastAttempt(client, true)).isEqualTo(2);
  }

  @Test
  void inOrderThereIsNoLastAttempt() {
    assertThat(ClientSetup.lastAttempt(client, true)).isEqualTo(Integer.MAX_VALUE);
  }
}
