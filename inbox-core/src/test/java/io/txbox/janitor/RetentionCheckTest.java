package io.txbox.janitor;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.SetupException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RetentionCheckTest {
  private static final Duration LADDER = Duration.ofHours(4).plusMinutes(46);
  private static final BrokerTimes DEFAULTS =
      new BrokerTimes(Duration.ofDays(3), LADDER, Duration.ofDays(3), Optional.empty());

  @Test
  void theDefaultFitsTheDefaultsOfABroker() {
    assertThatCode(() -> RetentionCheck.check("g", Retention.ofDays(7), DEFAULTS))
        .doesNotThrowAnyException();
  }

  @Test
  void showsTheSumOfWhatIsTooShort() {
    assertThatThrownBy(() -> RetentionCheck.check("g", Retention.ofDays(2), DEFAULTS))
        .isInstanceOf(SetupException.class)
        .hasMessageStartingWith(
            "retention of consumer group 'g' is 2 d, but needs at least 3 d 11 h 37 min 25 s: 3 d"
                + " broker storage + 4 h 46 min retries + 6 h 51 min 25 s margin.")
        .hasMessageContaining("acceptShortRetention()");
  }

  @Test
  void aDelayThatIsLongerThanTheStorageCountsInstead() {
    BrokerTimes delaying =
        new BrokerTimes(Duration.ofDays(3), LADDER, Duration.ofDays(10), Optional.empty());

    assertThatThrownBy(() -> RetentionCheck.check("g", Retention.ofDays(7), delaying))
        .hasMessageContaining(
            "11 d 4 h 46 min: 10 d longest delay + 4 h 46 min retries + 1 d margin.");
  }

  @Test
  void byTheTimeOfDayAllOfItCounts() {
    assertThatThrownBy(() -> RetentionCheck.check("g", Retention.ofDays(7).byWallClock(), DEFAULTS))
        .hasMessageContaining(
            "7 d 4 h 46 min: 3 d broker storage + 3 d longest delay + 4 h 46 min retries + 1 d"
                + " margin.");
    assertThatCode(() -> RetentionCheck.check("g", Retention.ofDays(8).byWallClock(), DEFAULTS))
        .doesNotThrowAnyException();
  }

  @Test
  void acceptsWhatIsAccepted() {
    assertThatCode(
            () -> RetentionCheck.check("g", Retention.ofDays(1).acceptShortRetention(), DEFAULTS))
        .doesNotThrowAnyException();
  }
}
