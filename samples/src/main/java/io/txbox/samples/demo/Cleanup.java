package io.txbox.samples.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All that has to go at the end, the newest first; once, whether the end is a return, an exception
 * or a signal. Thread-safe.
 */
final class Cleanup implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** Held while something is closed: whoever comes second waits, and does not end the JVM first. */
  private final Lock closing = new ReentrantLock();

  private boolean closed;

  /**
   * Keeps this for the end.
   *
   * @throws IllegalStateException if that has come; it is closed then
   */
  <T extends AutoCloseable> T add(T thing) {
    synchronized (this) {
      if (!closed) {
        open.push(thing);
        return thing;
      }
    }
    close(thing);
    throw new IllegalStateException("The demo ends");
  }

  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closing.lock();
    try {
      @Nullable AutoCloseable next;
      while ((next = next()) != null) {
        close(next);
      }
    } finally {
      closing.unlock();
    }
  }

  private synchronized @Nullable AutoCloseable next() {
    return open.poll();
  }

  private static void close(AutoCloseable thing) {
    try {
      thing.close();
    } catch (Exception e) {
      System.err.println("Not cleaned up: " + e);
    }
  }
}
