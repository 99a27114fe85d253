package io.txbox.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.TestProducer;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Runs the service as its users would, in a process of its own, on an empty database. */
class PaymentServiceIT {
  private static final int QUEUES = 4;
  private static final Duration SOON = Duration.ofSeconds(60);

  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.postgres();

  private final TestDatabase database = DATABASE.database();

  @Test
  void creditsEachPaymentOnceOverResendsAndRestarts(@TempDir Path folder) throws Exception {
    BROKER.broker().createTopic("PAYMENT", QUEUES);
    try (TestProducer sender = TestProducer.connect(BROKER.broker())) {
      try (Service service = start(folder.resolve("first.log"))) {
        await().atMost(SOON).until(this::accountsExist);
        database.dsl().execute("insert into account values ('alice', 0), ('bob', 0)");
        IntStream.range(0, 60).forEach(i -> send(sender, i % 20));
        await().atMost(SOON).until(() -> balances().equals(Map.of("alice", 1000L, "bob", 1000L)));
        service.terminate();
      }
      IntStream.range(0, 21).forEach(i -> send(sender, i));
      try (Service service = start(folder.resolve("second.log"))) {
        await().atMost(SOON).until(() -> acknowledged() == 81);
        service.terminate();
      }
    }
    assertThat(balances()).isEqualTo(Map.of("alice", 1100L, "bob", 1000L));
  }

  private Service start(Path log) throws IOException {
    ProcessBuilder process =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            PaymentService.class.getName());
    process
        .environment()
        .putAll(
            Map.of(
                "NAME_SERVER", BROKER.nameServer(),
                "DATABASE_URL", database.jdbcUrl(),
                "DATABASE_USER", database.user(),
                "DATABASE_PASSWORD", database.password(),
                "LOG_LEVEL", "INFO"));
    process.redirectErrorStream(true).redirectOutput(log.toFile());
    return new Service(process.start(), log);
  }

  /** The service in its process. */
  private record Service(Process process, Path log) implements AutoCloseable {
    /** Ends it as an operator does, by SIGTERM, and looks at what it has to say. */
    void terminate() throws InterruptedException {
      process.destroy();
      assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(log).content().contains("accounts - Stopped").doesNotContain("WARN", "ERROR");
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Sends a payment of a euro, as a new message; even ones are for alice, odd ones for bob. */
  private static void send(TestProducer sender, int payment) {
    sender
        .message("PAYMENT", "100")
        .property("PAYMENT_ID", "p-" + payment)
        .property("ACCOUNT", payment % 2 == 0 ? "alice" : "bob")
        .send();
  }

  private boolean accountsExist() {
    return database.dsl().fetchSingle("select to_regclass('account')").get(0) != null;
  }

  private Map<String, Long> balances() {
    return database
        .dsl()
        .fetch("select id, balance from account")
        .intoMap(row -> row.get(0, String.class), row -> row.get(1, Long.class));
  }

  private long acknowledged() {
    return IntStream.range(0, QUEUES)
        .mapToLong(queue -> BROKER.broker().committedOffset("accounts", "PAYMENT", queue).orElse(0))
        .sum();
  }
}
