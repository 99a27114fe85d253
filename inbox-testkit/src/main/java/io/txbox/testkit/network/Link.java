package io.txbox.testkit.network;

import io.txbox.testkit.network.TcpProxy.Strike;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One client's connection, and the one to the server that belongs to it. */
final class Link {

  private static final int CHUNK = 64 * 1024;

  private final Socket client;
  private final Socket server;
  private final List<Pump> pumps;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Strike fate;

  Link(String name, Socket client, Socket server, Lane toServer, Lane toClient) {
    this.client = client;
    this.server = server;
    this.pumps =
        List.of(
            new Pump(name + "-to-server", client, server, toServer),
            new Pump(name + "-to-client", server, client, toClient));
  }

  void start() {
    pumps.forEach(Thread::start);
  }

  boolean isClosed() {
    return closed.get();
  }

  /** Returns whether its threads have ended. */
  boolean hasEnded() {
    return isClosed() && pumps.stream().noneMatch(Thread::isAlive);
  }

  void reset() {
    end(true);
  }

  void close() {
    end(false);
  }

  private void end(boolean reset) {
    if (closed.compareAndSet(false, true)) {
      close(client, reset);
      close(server, reset);
    }
  }

  private static void close(Socket socket, boolean reset) {
    try {
      if (reset) {
        // Without lingering, what is not sent is dropped and the other end gets an RST.
        socket.setSoLinger(true, 0);
      }
      socket.close();
    } catch (IOException e) {
      // It was closed by its other end.
    }
  }

  void join() {
    try {
      for (Pump pump : pumps) {
        pump.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Pump extends Thread {

    private final Socket from;
    private final Socket to;
    private final Lane lane;
    private byte[] tail = {};

    Pump(String name, Socket from, Socket to, Lane lane) {
      super(name);
      setDaemon(true);
      this.from = from;
      this.to = to;
      this.lane = lane;
    }

    @Override
    public void run() {
      try {
        pump();
        close();
      } catch (IOException e) {
        reset();
      } catch (InterruptedException e) {
        reset();
        Thread.currentThread().interrupt();
      }
    }

    private void pump() throws IOException, InterruptedException {
      byte[] buffer = new byte[CHUNK];
      lane.awaitReading(Link.this);
      int length;
      while ((length = from.getInputStream().read(buffer)) >= 0) {
        pass(Arrays.copyOf(buffer, length));
        lane.awaitReading(Link.this);
      }
    }

    private void pass(byte[] read) throws IOException, InterruptedException {
      if (!lane.admit(System.nanoTime(), Link.this) || meetsFate()) {
        return;
      }
      Trap trap = lane.trap();
      if (trap != null) {
        if (trap.springs(tail, read)) {
          // Before the bytes go on: the answer may come at once.
          fate = trap.strike();
        }
        tail = trap.tail(tail, read);
      }
      if (fate == Strike.LOSE_REQUEST) {
        reset();
        return;
      }
      if (fate == Strike.HOLD) {
        return;
      }
      lane.count(read.length);
      to.getOutputStream().write(read);
    }

    /** Returns whether these bytes are lost, which are the server's answer to what was trapped. */
    private boolean meetsFate() {
      if (fate == null || from == client) {
        return false;
      }
      if (fate == Strike.LOSE_REPLY) {
        reset();
      }
      return true;
    }
  }
}
