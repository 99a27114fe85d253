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
    assertThat(size.lanes()).isEqualTo(10);
  }

  @Test
  void aQuickHandlerGetsTwoLanes() {
    IntStream.range(0, 30).forEach(i -> size.learn(result(64, 64 * 100, false)));

    assertThat(size.next()).isEqualTo(64);
    assertThat(size.lanes()).isEqualTo(2);
  }

  @Test
  void troubleThatLeadsBackToSingleJobsMakesGrowthRare() {
    BatchSize small = new BatchSize(2, Duration.ofMillis(50));
    int batchesOfTwo = 0;
    for (int i = 0; i < 1_000; i++) {
      boolean two = small.next() == 2;
      batchesOfTwo += two ? 1 : 0;
      small.learn(result(1, 10, two));
    }

    assertThat(batchesOfTwo).isBetween(2, 15);
  }

  @Test
  void aLaneThatHangsIsNotCounted() {
    long start = 1_000;
    long hung = start + Duration.ofMillis(100).toNanos();
    size.began(start);
    size.began(start + 1);

    assertThat(size.room(start + 2)).isZero();
    assertThat(size.nextHanging(start + 2)).hasValue(hung);
    assertThat(size.room(hung)).isEqualTo(64);
    assertThat(size.nextHanging(hung + 1)).isEmpty();

    size.began(hung);
    size.began(hung);
    assertThat(size.room(hung + 1)).isZero();
    size.ended(hung, result(64, 64, false));
    assertThat(size.room(hung + 1)).isEqualTo(64);
  }

  private static BatchResult<String> result(int ran, int micros, boolean trouble) {
    return new BatchResult<>(
        Set.of(), Set.of(), ran, Duration.ofNanos(micros * 1_000L), trouble, Optional.empty());
  }
}
