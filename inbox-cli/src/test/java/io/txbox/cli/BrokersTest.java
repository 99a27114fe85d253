package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokersTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "No route of topic T",
        "No route of topic T\nSee https://rocketmq.apache.org/docs for further details.",
        "No route of topic T\nFor more information, please visit the url, https://rocketmq.apache.org",
      })
  void leavesTheLinksOfRocketMqOut(String said) {
    assertThat(Brokers.withoutLinks(said)).isEqualTo("No route of topic T");
  }
}
