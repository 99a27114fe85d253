package io.txbox.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeakCheckTest {

  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void endThreads() {
    end.countDown();
  }

  @Test
  void listsThreadsWithTheirStacks() {
    startThread("leaky-1");
    LeakCheck check = LeakCheck.create().threads("leaky-").patience(Duration.ofMillis(100));
    assertThatThrownBy(check::verify)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("thread leaky-1")
        .hasMessageContaining("LeakCheckTest");
  }

  @Test
  void leavesOtherThreadsAlone() {
    startThread("other-1");
    assertThatCode(() -> LeakCheck.create().threads("leaky-").verify()).doesNotThrowAnyException();
  }

  @Test
  void waitsForWhatIsOnItsWayOut() {
    AtomicInteger looks = new AtomicInteger();
    LeakCheck check =
        LeakCheck.create()
            .finder(() -> looks.incrementAndGet() < 5 ? List.of("not yet") : List.of());
    assertThatCode(check::verify).doesNotThrowAnyException();
  }

  @Test
  void listsWhatFindersFind() {
    LeakCheck check =
        LeakCheck.create().finder(() -> List.of("a leak")).patience(Duration.ofMillis(50));
    assertThatThrownBy(check::verify).hasMessageContaining("a leak");
  }

  private void startThread(String name) {
    Thread thread = new Thread(this::waitForEnd, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void waitForEnd() {
    try {
      if (!end.await(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException("The test does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
