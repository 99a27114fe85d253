package io.txbox.testkit.network;

import java.time.Duration;

/** What a lane does to bytes. */
record Fault(boolean stalls, boolean swallows, Duration delay) {

  static final Fault NONE = new Fault(false, false, Duration.ZERO);
  static final Fault SWALLOW = new Fault(false, true, Duration.ZERO);
  static final Fault STALL = new Fault(true, false, Duration.ZERO);

  Fault {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("A negative delay: " + delay);
    }
  }

  static Fault delay(Duration delay) {
    return new Fault(false, false, delay);
  }
}
