package io.txbox.internal.lane;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether anything can be done at present. While it cannot, one job is tried at a time, after
 * pauses that grow. Not thread-safe.
 */
final class Outage {
  private static final Logger log = LoggerFactory.getLogger(Lanes.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final String instance;
  private boolean on;
  private boolean probing;
  private long pause;
  private long since;
  private long nextProbe;

  Outage(String instance) {
    this.instance = instance;
  }

  boolean isOn() {
    return on;
  }

  /** Says whether a job may be tried now; whoever asks must do so, if there is one. */
  boolean mayProbe(long now) {
    return !probing && nextProbe - now <= 0;
  }

  long nextProbe() {
    return nextProbe;
  }

  void probing() {
    probing = true;
  }

  /** Learns from a batch, or from the job that was tried. */
  void learn(BatchResult<?> result, long now) {
    if (result.outage().isPresent()) {
      begun(result.outage().get(), now);
    } else if (on) {
      on = false;
      log.info(
          "{} - The database is back after {}; goes on", instance, Duration.ofNanos(now - since));
    }
    probing = false;
  }

  private void begun(Throwable cause, long now) {
    if (!on) {
      on = true;
      since = now;
      pause = FIRST_PAUSE.toNanos();
      log.warn(
          "{} - Pauses: the database is out of order. One message is tried now and then; none uses"
              + " an attempt.",
          instance,
          cause);
    } else {
      pause = Math.min(LONGEST_PAUSE.toNanos(), 2 * pause);
      log.info("{} - Still pauses, after {}", instance, Duration.ofNanos(now - since));
    }
    nextProbe = now + pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2);
  }
}
