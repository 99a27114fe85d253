package io.txbox.testkit.network;

import io.txbox.testkit.network.TcpProxy.Strike;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Waits for bytes, and strikes once. */
final class Trap {

  private final byte[] pattern;
  private final Strike strike;
  private final CompletableFuture<Void> struck = new CompletableFuture<>();

  Trap(byte[] pattern, Strike strike) {
    if (pattern.length == 0) {
      throw new IllegalArgumentException("An empty pattern would strike at anything");
    }
    this.pattern = pattern.clone();
    this.strike = strike;
  }

  /** Returns whether the pattern ends in what was just read, and nobody has struck before. */
  boolean springs(byte[] before, byte[] read) {
    byte[] seen = Arrays.copyOf(before, before.length + read.length);
    System.arraycopy(read, 0, seen, before.length, read.length);
    for (int start = 0; start + pattern.length <= seen.length; start++) {
      if (Arrays.equals(seen, start, start + pattern.length, pattern, 0, pattern.length)) {
        return struck.complete(null);
      }
    }
    return false;
  }

  /** Returns what must be remembered of a connection to find the pattern when its rest comes. */
  byte[] tail(byte[] before, byte[] read) {
    byte[] seen = Arrays.copyOf(before, before.length + read.length);
    System.arraycopy(read, 0, seen, before.length, read.length);
    return Arrays.copyOfRange(seen, Math.max(0, seen.length - pattern.length + 1), seen.length);
  }

  Strike strike() {
    return strike;
  }

  CompletableFuture<Void> struck() {
    return struck;
  }
}
