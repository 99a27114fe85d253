package io.txbox.testkit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.txbox.testkit.LeakCheck;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What a broker does to the machine, and that nothing of it stays. */
class CleanlinessIT {

  private static final Path HOME = Path.of(System.getProperty("user.home"));

  @Test
  void inJvmBrokerListensOnLoopbackOnlyAndLeavesNothing() throws IOException {
    List<Path> home = whatRocketMqLeavesAtHome();
    Set<Long> threads = threadIds();
    TestBroker broker = TestBroker.inJvm();
    try {
      use(broker);
      assertThat(broker.store()).isDirectory();
      assertListensOnLoopbackOnly(ProcessHandle.current().pid(), broker);
    } finally {
      Instant begin = Instant.now();
      broker.close();
      assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(30));
    }
    assertNobodyListens(broker);
    assertThat(broker.store()).doesNotExist();
    assertThat(whatRocketMqLeavesAtHome()).isEqualTo(home);
    LeakCheck.create()
        .finder(() -> threadsSince(threads))
        .patience(Duration.ofSeconds(15))
        .verify();
  }

  @Test
  void childListensOnLoopbackOnlyAndLeavesNothing() throws IOException {
    List<Path> home = whatRocketMqLeavesAtHome();
    KillableBroker broker = TestBroker.inChildJvm();
    try {
      use(broker);
      assertListensOnLoopbackOnly(broker.process().pid(), broker);
    } finally {
      broker.close();
    }
    assertThat(broker.process().isAlive()).isFalse();
    assertNobodyListens(broker);
    assertThat(broker.store()).doesNotExist();
    assertThat(whatRocketMqLeavesAtHome()).isEqualTo(home);
  }

  @Test
  void childDiesWhenItsParentDoes() throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process parent =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Parent.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader said = parent.inputReader();
    long child = Long.parseLong(said.readLine());
    Path store = Path.of(said.readLine());
    assertThat(store).isDirectory();
    assertThat(ProcessHandle.of(child)).isPresent();
    parent.destroyForcibly();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
    assertThat(store).doesNotExist();
  }

  /** Starts a broker, and waits to be killed. */
  static final class Parent {
    private Parent() {}

    /** Says the child's process id. */
    public static void main(String[] args) throws IOException {
      KillableBroker broker = TestBroker.inChildJvm();
      System.out.println(broker.process().pid());
      System.out.println(broker.store());
      System.in.read();
    }
  }

  private static void use(TestBroker broker) {
    String topic = broker.newTopic("used", 1);
    try (TestProducer producer = TestProducer.connect(broker)) {
      producer.message(topic, "hello").send();
    }
    assertThat(broker.newTopic("more", 1)).isNotEqualTo(topic);
  }

  /** Threads that RocketMQ has no way to end; they only wait. */
  private static final List<String> NEVER_ENDED = List.of("NettyServerScheduler_", "pool-");

  private static List<String> threadsSince(Set<Long> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread.getId()))
        .map(Thread::getName)
        .filter(name -> NEVER_ENDED.stream().noneMatch(name::startsWith))
        .filter(name -> !name.equals("process reaper"))
        .toList();
  }

  private static Set<Long> threadIds() {
    Set<Long> ids = new HashSet<>();
    Thread.getAllStackTraces().keySet().forEach(thread -> ids.add(thread.getId()));
    return ids;
  }

  private static void assertNobodyListens(TestBroker broker) {
    for (int port : List.of(broker.port(), broker.port() - 2)) {
      Assertions.assertThatThrownBy(() -> new Socket(broker.host(), port).close())
          .isInstanceOf(ConnectException.class);
    }
  }

  /** Reads what the kernel says, where it does. */
  private static void assertListensOnLoopbackOnly(long pid, TestBroker broker) throws IOException {
    assumeThat(Path.of("/proc/net/tcp")).exists();
    List<Listener> listeners = listeners(pid);
    assertThat(listeners).extracting(Listener::port).contains(broker.port(), broker.port() - 2);
    assertThat(listeners).allMatch(Listener::isLoopback, "listens on loopback");
  }

  private static List<Listener> listeners(long pid) throws IOException {
    Set<String> inodes = new HashSet<>();
    for (Path descriptor : list(Path.of("/proc/" + pid + "/fd"))) {
      try {
        String target = Files.readSymbolicLink(descriptor).toString();
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      } catch (IOException closed) {
        // The descriptor was closed while this looked.
      }
    }
    List<Listener> found = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
        String[] columns = line.trim().split("\\s+", -1);
        if (columns[3].equals("0A") && inodes.contains(columns[9])) {
          found.add(Listener.parse(columns[1]));
        }
      }
    }
    return found;
  }

  private record Listener(String address, int port) {

    private static final Set<String> LOOPBACK =
        Set.of("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000");

    static Listener parse(String hex) {
      String[] parts = hex.split(":", 2);
      return new Listener(parts[0], Integer.parseInt(parts[1], 16));
    }

    boolean isLoopback() {
      return LOOPBACK.contains(address);
    }
  }

  private static List<Path> whatRocketMqLeavesAtHome() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : List.of("logs/rocketmqlogs", "store", "namesrv", ".rocketmq_offsets")) {
      Path folder = HOME.resolve(name);
      if (Files.exists(folder)) {
        found.addAll(list(folder));
      }
    }
    return found;
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.sorted().toList();
    }
  }
}
