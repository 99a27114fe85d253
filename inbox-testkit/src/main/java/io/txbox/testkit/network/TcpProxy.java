package io.txbox.testkit.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Forwards a loopback port to a server, and breaks connections as a test wants it: cuts, closes,
 * refuses, delays, swallows, stalls, and strikes when certain bytes pass.
 *
 * <p>Faults hold for all connections, open and new, until {@link #restore}. Thread-safe. Its
 * threads are daemons, named {@code tcp-proxy-<port>-…}, and end at {@link #close}.
 *
 * <p>Why none of the libraries: Toxiproxy is a server binary of its own to be run beside the tests,
 * netcrusher has not been maintained for years, and neither can strike at a byte pattern, which
 * losing just the answer to a COMMIT needs.
 */
public final class TcpProxy implements AutoCloseable {

  private final InetSocketAddress target;
  private final int port;
  private final Lane toServer = new Lane();
  private final Lane toClient = new Lane();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private @Nullable Acceptor acceptor;
  private boolean closed;

  private TcpProxy(InetSocketAddress target, int port) {
    this.target = target;
    this.port = port;
  }

  /** Starts a proxy for this server. */
  public static TcpProxy to(String host, int port) {
    TcpProxy proxy = new TcpProxy(new InetSocketAddress(host, port), LoopbackPorts.free());
    proxy.accept();
    return proxy;
  }

  /** Returns the host to connect to instead of the server's. */
  public String host() {
    return "127.0.0.1";
  }

  /** Returns the port to connect to instead of the server's. It stays the same. */
  public int port() {
    return port;
  }

  /** Returns the number of connections that are open. */
  public int connections() {
    return (int) links.stream().filter(link -> !link.isClosed()).count();
  }

  /** Returns the number of bytes that were passed on in this direction so far. */
  public long passed(Direction direction) {
    return lane(direction).passed();
  }

  /** Resets all open connections (RST to both ends), as a crash does. New ones are accepted. */
  public void cut() {
    links.forEach(Link::reset);
  }

  /** Closes all open connections (FIN to both ends), as an orderly shutdown does. */
  public void closeConnections() {
    links.forEach(Link::close);
  }

  /** Refuses new connections from now on. Open ones stay. */
  public synchronized void refuse() {
    Acceptor running = acceptor;
    acceptor = null;
    if (running != null) {
      running.close();
    }
  }

  /** Passes on what is read in this direction only after this time. Each read waits by itself. */
  public void delay(Direction direction, Duration delay) {
    lane(direction).fault(Fault.delay(delay));
  }

  /** Reads what comes in this direction and drops it: the sender believes that it arrived. */
  public void swallow(Direction direction) {
    lane(direction).fault(Fault.SWALLOW);
  }

  /** Reads no more in this direction: the sender's buffers fill up. What was read is kept. */
  public void stall(Direction direction) {
    lane(direction).fault(Fault.STALL);
  }

  /**
   * Waits for these bytes from a client, also when they come in pieces, and then strikes once, at
   * the connection they come on.
   *
   * @return completes when it has struck
   */
  public CompletableFuture<Void> onClientBytes(byte[] pattern, Strike strike) {
    return toServer.trap(new Trap(pattern, strike));
  }

  /** Ends all faults, forgets traps that have not struck, and accepts connections again. */
  public synchronized void restore() {
    toServer.restore();
    toClient.restore();
    if (acceptor == null && !closed) {
      accept();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    refuse();
    toServer.restore();
    toClient.restore();
    cut();
    links.forEach(Link::join);
  }

  private synchronized void accept() {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      acceptor = new Acceptor(socket);
      acceptor.start();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot listen on port " + port, e);
    }
  }

  private Lane lane(Direction direction) {
    return direction == Direction.TO_SERVER ? toServer : toClient;
  }

  /** Which way bytes go. */
  public enum Direction {
    /** From the client to the server. */
    TO_SERVER,
    /** From the server to the client. */
    TO_CLIENT
  }

  /** What happens when the awaited bytes come. */
  public enum Strike {
    /** The bytes do not reach the server; both ends are reset. */
    LOSE_REQUEST,
    /** The bytes reach the server; its answer is dropped, and then both ends are reset. */
    LOSE_REPLY,
    /** The bytes, and all that follows, do not reach the server, and nobody is told. */
    HOLD,
    /**
     * The bytes reach the server; its answer, and all that follows, is dropped, and nobody is told.
     */
    HANG
  }

  private final class Acceptor extends Thread {

    private final ServerSocket socket;

    Acceptor(ServerSocket socket) {
      super("tcp-proxy-" + port + "-accept");
      setDaemon(true);
      this.socket = socket;
    }

    @Override
    public void run() {
      while (!socket.isClosed()) {
        try {
          connect(socket.accept());
        } catch (IOException e) {
          // The socket was closed, or the client has gone: nobody is left to be told.
        }
      }
    }

    private void connect(Socket client) throws IOException {
      Socket server = new Socket();
      try {
        server.connect(target, 5_000);
      } catch (IOException e) {
        client.setSoLinger(true, 0);
        client.close();
        throw e;
      }
      Link link = new Link("tcp-proxy-" + port, client, server, toServer, toClient);
      // Here, not when a link ends: close() waits for the threads of all that are known.
      links.removeIf(Link::hasEnded);
      links.add(link);
      link.start();
    }

    void close() {
      try {
        socket.close();
        join();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
