package io.txbox.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RetentionCheckTest {
  private static final Duration LADDER = Duration.ofHours(4).plusMinutes(46);
  private static final BrokerTimes DEFAULTS =
      new BrokerTimes(Duration.ofDays(3), LADDER, 16, Duration.ofDays(3), Optional.empty());

  @Test
  void theDefaultFitsTheDefaultsOfABroker() {
    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(7), DEFAULTS)).isEmpty();
  }

  @Test
  void showsTheSumOfWhatIsTooShort() {
    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(2), DEFAULTS))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .startsWith(
                        "retention of consumer group 'g' is 2 d, but needs at least 3 d 11 h 37 min 25 s: 3 d"
                            + " broker storage + 4 h 46 min retries + 6 h 51 min 25 s margin.")
                    .contains("acceptShortRetention()"));
  }

  @Test
  void aDelayThatIsLongerThanTheStorageCountsInstead() {
    BrokerTimes delaying =
        new BrokerTimes(Duration.ofDays(3), LADDER, 16, Duration.ofDays(10), Optional.empty());

    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(7), delaying))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .contains(
                        "11 d 4 h 46 min: 10 d longest delay + 4 h 46 min retries + 1 d margin."));
  }

  @Test
  void byTheTimeOfDayAllOfItCounts() {
    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(7).byWallClock(), DEFAULTS))
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .contains(
                        "7 d 4 h 46 min: 3 d broker storage + 3 d longest delay + 4 h 46 min retries + 1 d"
                            + " margin."));
    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(8).byWallClock(), DEFAULTS))
        .isEmpty();
  }

  @Test
  void acceptsWhatIsAccepted() {
    assertThat(RetentionCheck.shortfall("g", Retention.ofDays(1).acceptShortRetention(), DEFAULTS))
        .isEmpty();
  }
}
