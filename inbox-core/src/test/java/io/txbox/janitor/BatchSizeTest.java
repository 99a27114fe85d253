package io.txbox.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
  private final BatchSize batch = new BatchSize();

  @Test
  void shrinksOnSlowDeletesAndGrowsBack() {
    int begun = batch.rows();
    took(3, Duration.ofMillis(500));
    assertThat(batch.rows()).isEqualTo(begun / 8);
    took(30, Duration.ofMillis(10));
    assertThat(batch.rows()).isEqualTo(BatchSize.MOST);
  }

  @Test
  void neverGoesDownToNothing() {
    took(100, Duration.ofSeconds(10));
    assertThat(batch.rows()).isEqualTo(BatchSize.LEAST);
  }

  @Test
  void staysWhereItIsJustRight() {
    int begun = batch.rows();
    took(10, Duration.ofMillis(75));
    assertThat(batch.rows()).isEqualTo(begun);
  }

  @Test
  void restsForLongerThanItWorks() {
    assertThat(batch.rest()).isZero();
    took(1, Duration.ofMillis(20));
    assertThat(batch.rest()).isEqualTo(Duration.ofMillis(180));
    took(1, Duration.ofSeconds(10));
    assertThat(batch.rest()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void restsLessTheFurtherItFallsBehindAndMoreOnceItCatchesUp() {
    for (int days = 1; days <= 4; days++) {
      batch.staysBehind(Duration.ofDays(days));
    }
    took(1, Duration.ofMillis(20));
    assertThat(batch.rest()).isZero();

    batch.staysBehind(Duration.ofDays(2));
    took(1, Duration.ofMillis(20));
    assertThat(batch.rest()).isEqualTo(Duration.ofMillis(20));
    for (int times = 0; times < 10; times++) {
      batch.staysBehind(Duration.ZERO);
    }
    took(1, Duration.ofMillis(20));
    assertThat(batch.rest()).isEqualTo(Duration.ofMillis(180));
  }

  private void took(int times, Duration elapsed) {
    IntStream.range(0, times).forEach(any -> batch.took(elapsed));
  }
}
