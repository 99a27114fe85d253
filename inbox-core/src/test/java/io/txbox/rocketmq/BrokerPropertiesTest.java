package io.txbox.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.janitor.ProgressUnknownException;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerPropertiesTest {
  private static final String ROCKETMQS_LEVELS =
      "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

  private final Properties all = new Properties();
  private final BrokerProperties properties = new BrokerProperties("broker-a", all);

  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "1, PT10S",
    "2, PT40S",
    "16, PT4H45M40S",
    "17, PT6H45M40S",
    "18, PT8H45M40S",
  })
  void redeliveriesBeginAtTheThirdLevelAndStayAtTheLast(int redeliveries, Duration sum)
      throws Exception {
    all.setProperty("messageDelayLevel", ROCKETMQS_LEVELS);
    assertThat(properties.retries(redeliveries)).isEqualTo(sum);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1d", "1s 1d", "1s 1s 1d", "1s 1s 1d "})
  void theLastLevelIsTakenWhereThereIsNoThird(String levels) throws Exception {
    all.setProperty("messageDelayLevel", levels);
    assertThat(properties.retries(2)).isEqualTo(Duration.ofDays(2));
    assertThat(properties.retries(Integer.MAX_VALUE)).isEqualTo(Duration.ofDays(Integer.MAX_VALUE));
  }

  @Test
  void theLongestDelayIsThatOfAnyLevelOrOfTheTimer() throws Exception {
    all.setProperty("messageDelayLevel", "1s 3h 2m");
    all.setProperty("timerMaxDelaySec", "86400");
    all.setProperty("timerWheelEnable", "false");
    assertThat(properties.longestDelay()).isEqualTo(Duration.ofHours(3));
    all.setProperty("timerWheelEnable", "true");
    assertThat(properties.longestDelay()).isEqualTo(Duration.ofDays(1));
    all.setProperty("timerMaxDelaySec", "1");
    assertThat(properties.longestDelay()).isEqualTo(Duration.ofHours(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "1x", "s", "1", "1s  5s", "-1s", "1s,5s", "9999999999d"})
  void levelsThatCannotBeReadAreRefusedByNameAndValue(String levels) {
    all.setProperty("messageDelayLevel", levels);
    assertThatThrownBy(() -> properties.retries(16))
        .isInstanceOf(ProgressUnknownException.class)
        .hasMessage("Broker broker-a has a messageDelayLevel that cannot be read: " + levels);
  }

  @Test
  void otherValuesThatCannotBeReadAreRefusedByNameAndValue() {
    all.setProperty("messageDelayLevel", ROCKETMQS_LEVELS);
    assertThatThrownBy(properties::storage)
        .isInstanceOf(ProgressUnknownException.class)
        .hasMessageEndingWith("fileReservedTime that cannot be read: null");
    all.setProperty("fileReservedTime", "-1");
    assertThatThrownBy(properties::storage).hasMessageEndingWith(": -1");
    all.setProperty("timerWheelEnable", "maybe");
    assertThatThrownBy(properties::longestDelay)
        .hasMessageEndingWith("Enable that cannot be read: maybe");
    all.setProperty("timerWheelEnable", "true");
    all.setProperty("timerMaxDelaySec", "3d");
    assertThatThrownBy(properties::longestDelay)
        .hasMessageEndingWith("Sec that cannot be read: 3d");
  }
}
