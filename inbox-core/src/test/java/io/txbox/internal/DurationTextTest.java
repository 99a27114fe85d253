package io.txbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"7d", "1d12h", "23h59m", "1d2h3m4s", "3650d", "106751991167300d"})
  void writesWhatItReads(String text) {
    assertThat(DurationText.of(DurationText.parse("margin", text))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"PT0S, 0s", "PT36H, 1d12h", "PT0.25S, 250ms", "PT1.5S, 1s500ms", "PT-25H, -1d1h"})
  void writesWhatCannotBeRead(Duration duration, String text) {
    assertThat(DurationText.of(duration)).isEqualTo(text);
  }

  @Test
  void namesTheSetting() {
    assertThatThrownBy(() -> DurationText.parse("margin", "1x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "margin must be numbers with the units d, h, m and s, such as '7d' or '1d12h', but was"
                + " '1x'");
  }
}
