package io.txbox.samples.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Says what goes on, with the time since the start; when nothing was said for a while, how far it
 * is. Thread-safe.
 */
final class Progress {
  private static final Duration SILENCE = Duration.ofMillis(2_500);

  private final PrintWriter out;
  private final long start = System.nanoTime();
  private final Thread ticker = new Thread(this::tick, "progress");
  private Supplier<String> counters = () -> "not begun yet";
  private long last = start;

  Progress(PrintWriter out) {
    this.out = out;
    ticker.setDaemon(true);
    ticker.start();
  }

  /** Has these said from now on. */
  synchronized void counters(Supplier<String> text) {
    counters = text;
  }

  /** Says what happens now. */
  synchronized void say(String text) {
    last = System.nanoTime();
    out.printf(Locale.ROOT, "%6.1f s  %s%n", (last - start) / 1e9, text);
    out.flush();
  }

  private void tick() {
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(250);
        sayIfSilent();
      }
    } catch (InterruptedException e) {
      // Ended.
    }
  }

  private synchronized void sayIfSilent() {
    if (System.nanoTime() - last > SILENCE.toNanos()) {
      say("  … " + counters.get());
    }
  }

  /** Says nothing any more by itself. */
  void end() {
    ticker.interrupt();
  }
}
