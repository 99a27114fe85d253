package io.txbox.testkit.network;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.testkit.network.TcpProxy.Direction;
import io.txbox.testkit.network.TcpProxy.Strike;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {

  private EchoServer echo;
  private TcpProxy proxy;

  @BeforeEach
  void start() throws IOException {
    echo = new EchoServer();
    proxy = TcpProxy.to("127.0.0.1", echo.port());
  }

  @AfterEach
  void leavesNoThreads() throws IOException {
    proxy.close();
    echo.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("tcp-proxy-" + proxy.port()));
  }

  @Test
  void forwardsBothWays() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, "hello")).isEqualTo("hello");
      assertThat(proxy.connections()).isEqualTo(1);
      assertThat(proxy.passed(Direction.TO_SERVER)).isEqualTo(5);
      assertThat(proxy.passed(Direction.TO_CLIENT)).isEqualTo(5);
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> proxy.connections() == 0);
  }

  @Test
  void cutResetsOpenConnectionsAndAcceptsNewOnes() throws IOException {
    try (Socket client = connect()) {
      ask(client, "hello");
      proxy.cut();
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
    try (Socket client = connect()) {
      assertThat(ask(client, "again")).isEqualTo("again");
    }
  }

  @Test
  void closingIsSeenAsTheEnd() throws IOException {
    try (Socket client = connect()) {
      ask(client, "hello");
      proxy.closeConnections();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void refusesNewConnectionsUntilRestored() throws IOException {
    try (Socket open = connect()) {
      ask(open, "hello");
      proxy.refuse();
      assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
      assertThat(ask(open, "still")).isEqualTo("still");
    }
    proxy.restore();
    try (Socket client = connect()) {
      assertThat(ask(client, "again")).isEqualTo("again");
    }
  }

  @Test
  void delaysEitherDirection() throws IOException {
    for (Direction direction : Direction.values()) {
      try (Socket client = connect()) {
        proxy.delay(direction, Duration.ofMillis(300));
        long begin = System.nanoTime();
        ask(client, "hello");
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
            .isGreaterThan(Duration.ofMillis(290));
        proxy.restore();
      }
    }
  }

  @Test
  void swallowedRequestsNeverReachTheServer() throws IOException {
    try (Socket client = connect()) {
      proxy.swallow(Direction.TO_SERVER);
      assertThatNothingAnswers(client, "lost");
      proxy.restore();
      assertThat(ask(client, "found")).isEqualTo("found");
      assertThat(echo.received()).containsExactly("found");
    }
  }

  @Test
  void swallowedRepliesNeverReachTheClient() throws IOException {
    try (Socket client = connect()) {
      proxy.swallow(Direction.TO_CLIENT);
      assertThatNothingAnswers(client, "lost");
      await().atMost(Duration.ofMinutes(1)).until(() -> echo.received().contains("lost"));
      proxy.restore();
      assertThat(ask(client, "found")).isEqualTo("found");
    }
  }

  @Test
  void stalledBytesArriveOnceRestored() throws IOException {
    for (Direction direction : Direction.values()) {
      try (Socket client = connect()) {
        proxy.stall(direction);
        assertThatNothingAnswers(client, "late");
        proxy.restore();
        assertThat(read(client)).isEqualTo("late");
      }
    }
  }

  @Test
  void losesTheRequestThatHoldsThePattern() throws IOException {
    CompletableFuture<Void> struck = proxy.onClientBytes(bytes("COMMIT"), Strike.LOSE_REQUEST);
    try (Socket client = connect()) {
      assertThat(ask(client, "INSERT")).isEqualTo("INSERT");
      client.getOutputStream().write(bytes("COMMIT"));
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }
    assertThat(struck).isCompleted();
    assertThat(echo.received()).containsExactly("INSERT");
  }

  @Test
  void losesTheReplyToThePatternOnceEvenWhenItComesInPieces() throws IOException {
    CompletableFuture<Void> struck = proxy.onClientBytes(bytes("COMMIT"), Strike.LOSE_REPLY);
    try (Socket client = connect()) {
      assertThat(ask(client, "x COM")).isEqualTo("x COM");
      assertThat(struck).isNotDone();
      client.getOutputStream().write(bytes("MIT"));
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }
    assertThat(struck).isCompleted();
    assertThat(echo.received()).containsExactly("x COM", "MIT");
    try (Socket client = connect()) {
      assertThat(ask(client, "COMMIT")).isEqualTo("COMMIT");
    }
  }

  @Test
  void hangsAfterThePattern() throws IOException {
    CompletableFuture<Void> struck = proxy.onClientBytes(bytes("COMMIT"), Strike.HANG);
    try (Socket client = connect()) {
      assertThatNothingAnswers(client, "COMMIT");
      await().atMost(Duration.ofMinutes(1)).until(() -> echo.received().contains("COMMIT"));
      assertThat(struck).isCompleted();
      assertThat(proxy.connections()).isEqualTo(1);
    }
  }

  @Test
  void holdsThePatternAndAllThatFollows() throws IOException {
    CompletableFuture<Void> struck = proxy.onClientBytes(bytes("COMMIT"), Strike.HOLD);
    try (Socket client = connect()) {
      assertThat(ask(client, "INSERT")).isEqualTo("INSERT");
      assertThatNothingAnswers(client, "COMMIT");
      assertThatNothingAnswers(client, "SELECT");
      assertThat(struck).isCompleted();
      assertThat(proxy.connections()).isEqualTo(1);
      assertThat(echo.received()).containsExactly("INSERT");
    }
  }

  @Test
  void closesWhileStalledAndDelayed() throws IOException {
    try (Socket client = connect();
        Socket other = connect()) {
      proxy.stall(Direction.TO_CLIENT);
      proxy.delay(Direction.TO_SERVER, Duration.ofHours(1));
      client.getOutputStream().write(bytes("a"));
      other.getOutputStream().write(bytes("b"));
      await().atMost(Duration.ofMinutes(1)).until(() -> proxy.connections() == 2);
      proxy.close();
      assertThat(proxy.connections()).isZero();
    }
  }

  @Test
  void refusesAnEmptyPattern() {
    assertThatThrownBy(() -> proxy.onClientBytes(new byte[0], Strike.HANG))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Socket connect() throws IOException {
    Socket client = new Socket(proxy.host(), proxy.port());
    client.setSoTimeout(10_000);
    return client;
  }

  private static String ask(Socket client, String text) throws IOException {
    client.getOutputStream().write(bytes(text));
    return read(client);
  }

  private static String read(Socket client) throws IOException {
    byte[] buffer = new byte[1_000];
    int length = client.getInputStream().read(buffer);
    return new String(buffer, 0, length, US_ASCII);
  }

  private static void assertThatNothingAnswers(Socket client, String text) throws IOException {
    client.getOutputStream().write(bytes(text));
    client.setSoTimeout(200);
    assertThatThrownBy(() -> read(client)).isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout(10_000);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Answers what it is sent, and remembers it. */
  private static final class EchoServer implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Queue<String> received = new ConcurrentLinkedQueue<>();

    EchoServer() throws IOException {
      start(this::accept);
    }

    int port() {
      return socket.getLocalPort();
    }

    Queue<String> received() {
      return received;
    }

    private static void start(Runnable work) {
      Thread thread = new Thread(work, "echo");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = socket.accept();
          start(() -> echo(client));
        }
      } catch (IOException closed) {
        // The test is over.
      }
    }

    private void echo(Socket client) {
      byte[] buffer = new byte[1_000];
      try (client) {
        int length;
        while ((length = client.getInputStream().read(buffer)) >= 0) {
          received.add(new String(buffer, 0, length, US_ASCII));
          client.getOutputStream().write(buffer, 0, length);
        }
      } catch (IOException reset) {
        // That is what the test is about.
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
