package io.txbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LaneSettingsTest {
  @Test
  @SuppressWarnings("NullAway")
  void refusesNullByTheNameOfTheSetting() {
    assertThatThrownBy(() -> LaneSettings.DEFAULTS.withBatchTime(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("batchTime");
  }
}
