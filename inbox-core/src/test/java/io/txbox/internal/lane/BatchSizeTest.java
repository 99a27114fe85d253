package io.txbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
  private final BatchSize size = new BatchSize(64, Duration.ofMillis(50));

  @Test
  void troubleHalvesItAndSuccessGrowsItBack() {
    assertThat(size.next()).isEqualTo(64);
    IntStream.range(0, 3).forEach(i -> size.learn(result(0, 0, true)));
    assertThat(size.next()).isEqualTo(8);
    IntStream.range(0, 10).forEach(i -> size.learn(result(0, 0, true)));
    assertThat(size.next()).isEqualTo(1);

    IntStream.range(0, 30).forEach(i -> size.learn(result(1, 10, false)));
    assertThat(size.next()).isEqualTo(64);
  }

  @Test
  void aSlowHandlerGetsSmallBatchesAndMoreLanes() {
    assertThat(size.lanes()).isEqualTo(2);

    IntStream.range(0, 30).forEach(i -> size.learn(result(10, 50_000, false)));

    assertThat(size.next()).isEqualTo(10);
    assertThat(size.lanes()).isEqualTo(20);
  }

  @Test
  void aQuickHandlerGetsTwoLanes() {
    IntStream.range(0, 30).forEach(i -> size.learn(result(64, 64 * 100, false)));

    assertThat(size.next()).isEqualTo(64);
    assertThat(size.lanes()).isEqualTo(2);
  }

  private static BatchResult<String> result(int ran, int micros, boolean trouble) {
    return new BatchResult<>(
        Set.of(), Set.of(), ran, Duration.ofNanos(micros * 1_000L), trouble, Optional.empty());
  }
}
