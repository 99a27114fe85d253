package io.txbox.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
  @ParameterizedTest
  @CsvSource({
    "7d, P7D",
    "36h, PT36H",
    "1d12h, PT36H",
    "90m, PT90M",
    "30s, PT30S",
    "1d2h3m4s, P1DT2H3M4S",
    "3650d, P3650D",
  })
  void readsNumbersWithUnits(String text, Duration duration) {
    assertThat(Retention.parse(text).duration()).isEqualTo(duration);
  }

  // BC-74
  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " ", "72", "-1d", "+1d", "1.5d", "7 d", " 7d", "7d ", "7D", "7days", "1h1d", "1d1d",
        "d", "P7D", "1w", "1ms", "７d", "1e3s",
      })
  void refusesWhatItCouldMistake(String text) {
    assertThatThrownBy(() -> Retention.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "retention must be numbers with the units d, h, m and s, such as '7d' or '1d12h', but"
                + " was '"
                + text
                + "'");
  }

  // BC-74
  @ParameterizedTest
  @CsvSource({
    "0d, least 1s",
    "0s, least 1s",
    "3651d, most 3650d",
    "3650d1s, most 3650d",
    "999999d, most 3650d",
    "9999999h, most 3650d",
    "99999999999999999999d, most 3650d",
    "99999999999999999999s, most 3650d",
  })
  void refusesWhatNobodyCanMean(String text, String bound) {
    assertThatThrownBy(() -> Retention.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retention must be at " + bound + ", but was '" + text + "'");
  }

  @Test
  @SuppressWarnings("NullAway")
  void refusesNullByTheNameOfTheSetting() {
    Retention week = Retention.ofDays(7);
    assertThatThrownBy(() -> Retention.of(null)).hasMessage("retention");
    assertThatThrownBy(() -> Retention.parse(null)).hasMessage("retention");
    assertThatThrownBy(() -> week.margin(null)).hasMessage("margin");
    assertThatThrownBy(() -> week.late(null)).hasMessage("late");
  }

  // BC-74
  @Test
  void refusesDurationsOutOfBounds() {
    assertThatThrownBy(() -> Retention.ofDays(0))
        .hasMessage("retention must be at least 1s, but was 0s");
    assertThatThrownBy(() -> Retention.ofDays(-1))
        .hasMessage("retention must be at least 1s, but was -1d");
    assertThatThrownBy(() -> Retention.ofDays(3651))
        .hasMessage("retention must be at most 3650d, but was 3651d");
    assertThatThrownBy(() -> Retention.of(Duration.ofMillis(1)))
        .hasMessage("retention must be at least 1s, but was 1ms");
    Retention week = Retention.ofDays(7);
    assertThatThrownBy(() -> week.margin(Duration.ZERO))
        .hasMessage("margin must be at least 1ms, but was 0s");
    assertThatThrownBy(() -> week.margin(Duration.ofHours(180)))
        .hasMessage("margin must be less than the retention, 7d, but was 7d12h");
    assertThatThrownBy(() -> week.margin(Duration.ofDays(7)))
        .hasMessage("margin must be less than the retention, 7d, but was 7d");
  }

  @Test
  void saysWhatItIs() {
    assertThat(Retention.ofDays(7)).hasToString("7d (margin 1d, late: PARK)");
  }

  @Test
  void theMarginIsASeventhAndADayAtMost() {
    assertThat(Retention.ofDays(7).margin()).isEqualTo(Duration.ofDays(1));
    assertThat(Retention.ofDays(70).margin()).isEqualTo(Duration.ofDays(1));
    assertThat(Retention.of(Duration.ofHours(7)).margin()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void keepsWhatIsSet() {
    Retention retention =
        Retention.ofDays(7)
            .margin(Duration.ofHours(2))
            .late(LatePolicy.DISCARD)
            .acceptShortRetention()
            .byWallClock();

    assertThat(retention.duration()).isEqualTo(Duration.ofDays(7));
    assertThat(retention.margin()).isEqualTo(Duration.ofHours(2));
    assertThat(retention.late()).isEqualTo(LatePolicy.DISCARD);
    assertThat(retention.acceptsShortRetention()).isTrue();
    assertThat(retention.isByWallClock()).isTrue();
    assertThat(Retention.ofDays(7).late()).isEqualTo(LatePolicy.PARK);
    assertThat(Retention.ofDays(7).acceptsShortRetention()).isFalse();
    assertThat(Retention.ofDays(7).isByWallClock()).isFalse();
  }
}
