package io.txbox.testkit.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports that a server may be bound to on loopback, closed, and bound to again.
 *
 * <p>Ports that the operating system picks (port 0) do not do: between two starts of the server
 * they may be given to somebody's outgoing connection, and a client that keeps dialling a closed
 * one of them sooner or later connects to itself. So these lie below the range that systems pick
 * from (Linux from 32768, others from 49152).
 *
 * <p>Thread-safe; the same port is not given out twice in a JVM.
 */
public final class LoopbackPorts {

  private static final int LOWEST = 20_000;
  private static final int HIGHEST = 32_000;
  private static final Set<Integer> GIVEN = new HashSet<>();

  private LoopbackPorts() {}

  /** Returns a port that nobody listens on. */
  public static int free() {
    return freeRun(1);
  }

  /** Returns the first of {@code length} adjacent ports that nobody listens on. */
  public static int freeRun(int length) {
    synchronized (GIVEN) {
      for (int attempt = 0; attempt < 1_000; attempt++) {
        int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - length);
        if (allFree(first, length)) {
          for (int port = first; port < first + length; port++) {
            GIVEN.add(port);
          }
          return first;
        }
      }
    }
    throw new IllegalStateException(
        "No " + length + " adjacent free ports between " + LOWEST + " and " + HIGHEST);
  }

  private static boolean allFree(int first, int length) {
    for (int port = first; port < first + length; port++) {
      if (GIVEN.contains(port) || !free(port)) {
        return false;
      }
    }
    return true;
  }

  private static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
