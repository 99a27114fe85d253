package io.txbox.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerClockTest {
  private static final Instant BOOT = Instant.ofEpochMilli(1_700_000_000_123L);

  @ParameterizedTest
  @ValueSource(strings = {"1234", "1,234", "1.234", "1\u202f234"})
  void addsHowLongTheBrokerHasRunToItsStart(String days) {
    assertThat(clock("[ " + days + " days, 5 hours, 6 minutes, 7 seconds ]"))
        .hasValueSatisfying(
            clock ->
                assertThat(clock.second()).isEqualTo(BOOT.plus(Duration.parse("P1234DT5H6M7S"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a while", "[ x days, 5 hours, 6 minutes, 7 seconds ]"})
  void tellsNothingByWhatItCannotRead(String runtime) {
    assertThat(clock(runtime)).isEmpty();
  }

  @Test
  void tellsNothingOfABrokerThatSaysNothing() {
    assertThat(BrokerClock.of(Map.of())).isEmpty();
  }

  // The broker's second is [0 s, 1 s); asked and answered are ours.
  @ParameterizedTest
  @CsvSource({
    "200, 300, PT0S",
    "-500, 300, PT0S",
    "900, 1500, PT0S",
    "-60000, -59900, PT59.9S",
    "61000, 61100, PT-1M",
  })
  void showsTheLeastSkewThatAgreesWithTheAnswer(long asked, long answered, Duration skew) {
    assertThat(new BrokerClock(BOOT).skew(BOOT.plusMillis(asked), BOOT.plusMillis(answered)))
        .isEqualTo(skew);
  }

  private static Optional<BrokerClock> clock(String runtime) {
    return BrokerClock.of(
        Map.of("bootTimestamp", String.valueOf(BOOT.toEpochMilli()), "runtime", runtime));
  }
}
