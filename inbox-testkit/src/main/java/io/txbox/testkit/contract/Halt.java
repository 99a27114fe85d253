package io.txbox.testkit.contract;

import io.txbox.testkit.process.Parent;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Stops a consumer's process at one step of the flow, tells the parent, and goes on when that says
 * so, if ever. Knows where the flow is, for one message.
 */
final class Halt {
  static final String REACHED = "reached ";

  private final Parent parent;
  private final @Nullable FlowStep wanted;
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile Runnable beforeHalt = () -> {};
  private volatile @Nullable FlowStep passed;

  /**
   * Makes a halt.
   *
   * @param wanted where to stop, or null for nowhere
   */
  Halt(Parent parent, @Nullable FlowStep wanted) {
    this.parent = parent;
    this.wanted = wanted;
  }

  /** Does this when it stops, before the parent is told. */
  void beforeHalt(Runnable action) {
    beforeHalt = action;
  }

  /** Says where it stops, if anywhere. */
  @Nullable FlowStep wanted() {
    return wanted;
  }

  /** Says that the flow has come to this step, and stops there if it is the one. */
  void at(FlowStep step) {
    passed = step;
    if (step == wanted) {
      beforeHalt.run();
      parent.answer(REACHED + step);
      awaitRelease();
    }
  }

  /** Does the same if this step was the last one. */
  void atIfAfter(FlowStep last, FlowStep step) {
    if (passed == last) {
      at(step);
    }
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets it go on. */
  void release() {
    released.countDown();
  }
}
