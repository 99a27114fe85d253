package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.QueueId;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.network.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jar, in processes of its own, with PostgreSQL and a broker. */
class PurgeCliIT {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private static final Duration MONTH = Duration.ofDays(30);

  private final Jar jar;
  private final String topic = BROKER.newTopic("purge", 2);
  private final Rows rows =
      new Rows(DATABASE.database().dsl(), new PostgresDialect(), BROKER.newGroup("purge"), topic);

  PurgeCliIT(@TempDir Path folder) {
    jar = new Jar(folder, DATABASE.database());
  }

  @BeforeEach
  void consume() {
    rows.add(3, Instant.now().minus(MONTH));
    rows.add(2, Instant.now());
  }

  @Test
  void theDryRunSaysWhatWouldGoAndChangesNothing() throws Exception {
    rows.watchClock();
    String before = rows.state();

    Jar.Ended ended =
        jar.runOn(
            readOnly(DATABASE.database().jdbcUrl()),
            String.join(" ", arguments("--retention", "7d", "--dry-run")));

    assertThat(ended.code()).as(ended.output()).isZero();
    assertThat(ended.output())
        .contains(
            "Consumer group "
                + rows.group()
                + ", retention 7d, by how far it has consumed "
                + topic,
            "Lease: free",
            "Purge clock: 20",
            "Scope " + topic + ": no row could go now: its next horizon must first be announced",
            "3 rows could go once the horizon",
            "Nothing was changed");
    assertThat(rows.state()).isEqualTo(before);
  }

  @Test
  void purgesWhatIsOldOnceTheHorizonWasAnnounced() throws Exception {
    rows.watchClock();

    Jar.Ended ended = purge("--retention", "7d");

    assertThat(ended.code()).as(ended.output()).isZero();
    assertThat(ended.output())
        .contains(
            "rows go by it in ten seconds", "Purged 3 rows of " + topic, "Done: purged 3 rows");
    assertThat(rows.count()).isEqualTo(2);

    Jar.Ended again = purge("--retention", "7d", "--dry-run");
    assertThat(again.output()).contains("no row could go now: its oldest row was processed at");
  }

  @Test
  void leavesTheMarginOfTheConsumersAlone() throws Exception {
    rows.watchClock();
    rows.announceMargin(Duration.ofDays(3));

    Jar.Ended ended = purge("--retention", "7d");

    assertThat(ended.code()).as(ended.output()).isZero();
    assertThat(rows.margin()).isEqualTo(Duration.ofDays(3));

    Jar.Ended refused = purge("--retention", "2d", "--accept-short-retention");
    assertThat(refused.code()).as(refused.output()).isEqualTo(2);
    assertThat(refused.output())
        .contains("--retention '2d' is not longer than 3d, the margin that the group's consumers");
  }

  @Test
  void saysThatTheClockStandsStill() throws Exception {
    Jar.Ended dryRun = purge("--retention", "7d", "--dry-run");
    assertThat(dryRun.code()).as(dryRun.output()).isEqualTo(1);
    assertThat(dryRun.output())
        .contains("Purge clock: stands still: the group has been watched for");

    Jar.Ended purge = purge("--retention", "7d");
    assertThat(purge.code()).as(purge.output()).isEqualTo(1);
    assertThat(purge.output())
        .contains("Done: purged 0 rows", "The purge clock stands still, so that no more grows old");
    assertThat(rows.count()).isEqualTo(5);
  }

  @Test
  void saysThatNoNameServerAnswers() throws Exception {
    Jar.Ended ended =
        jar.run(
            "purge --group "
                + rows.group()
                + " --retention 7d --name-server 127.0.0.1:1 --dry-run");

    assertThat(ended.code()).as(ended.output()).isEqualTo(1);
    assertThat(ended.output())
        .contains("Purge clock: stands still: Topic " + topic + " cannot be asked about");
  }

  @Test
  void refusesARetentionThatIsTooShortForTheBrokers() throws Exception {
    rows.watchClock();

    Jar.Ended refused = purge("--retention", "1d", "--dry-run");
    assertThat(refused.code()).as(refused.output()).isEqualTo(1);
    assertThat(refused.output()).contains("is 1 d, but needs at least", "--accept-short-retention");

    Jar.Ended accepted = purge("--retention", "1d", "--dry-run", "--accept-short-retention");
    assertThat(accepted.code()).as(accepted.output()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "--retention 0d,2,--retention '0d' is refused: retention must be at least",
    "--retention 7,2,--retention '7' is refused: retention must be numbers with the units",
    "--retention 7d --schema nowhere,1,The schema of txbox is missing in 'nowhere'",
    "--retention 7d --topic nothing,1,Topic nothing cannot be asked",
  })
  void badInputIsRefusedByItsName(String options, int code, String expected) throws Exception {
    Jar.Ended ended = purge((options + " --dry-run").split(" "));

    assertThat(ended.code()).as(ended.output()).isEqualTo(code);
    assertThat(ended.output()).contains(expected).doesNotContain("\tat ");
    assertThat(rows.count()).isEqualTo(5);
  }

  @Test
  void leavesTheLinksOfRocketMqOut() throws Exception {
    String output = purge("--retention", "7d", "--topic", "nothing", "--dry-run").output();

    String said = output.substring(output.indexOf("Purge clock: "));
    assertThat(said).contains("the topic: nothing").doesNotContain("See", "https:", "..");
  }

  @Test
  void namesTheCommandThatBringsTheTables() throws Exception {
    Jar.Ended ended = purge("--retention", "7d", "--schema", "it's", "--dry-run");

    assertThat(ended.code()).as(ended.output()).isEqualTo(1);
    assertThat(ended.output())
        .containsPattern("run: java -jar inbox-migrations-\\d\\S+-cli.jar migrate --url jdbc:")
        .contains(" --user <owner> --schema 'it'\\''s'")
        .doesNotContain("dataSource", "consumer starts");
  }

  @Test
  void namesTheGroupsThatThereAreIfOneIsUnknown() throws Exception {
    Jar.Ended ended =
        jar.run("purge --group nobody --retention 7d --name-server " + BROKER.nameServer());

    assertThat(ended.code()).as(ended.output()).isEqualTo(2);
    assertThat(ended.output())
        .contains("--group 'nobody' has no scope in inbox_scope", rows.group());
  }

  @Test
  void waitsForAnotherJanitorNoLongerThanItIsTold() throws Exception {
    rows.holdLease("another one");
    try {
      Jar.Ended ended = purge("--retention", "7d", "--by-wall-clock", "--lease-wait", "1");

      assertThat(ended.code()).as(ended.output()).isEqualTo(1);
      assertThat(ended.output())
          .contains("Another janitor has the lease (another one); waiting for up to 1 s");
      assertThat(rows.count()).isEqualTo(5);
      assertThat(purge("--retention", "7d", "--by-wall-clock", "--dry-run").output())
          .contains("Lease: held by another one", "3 rows could go once the horizon");
    } finally {
      rows.holdLease(null);
    }
  }

  @Test
  void endsAfterTheBatchOfTheMomentWhenItIsToldTo() throws Exception {
    rows.addMany(1_200, Instant.now().minus(MONTH));
    rows.holdUpDeletes(4711);
    Jar.Started started;
    try (Connection gate = DATABASE.database().dataSource().getConnection();
        Statement statement = gate.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(4711)");
      started = jar.start(arguments("--retention", "7d", "--by-wall-clock"));
      awaitThat("a batch waits at the gate", () -> rows.atGate(4711));
      started.terminate();
      awaitThat("it was told", () -> started.output().contains("Told to end"));
      statement.execute("SELECT pg_advisory_unlock(4711)");
    } finally {
      rows.letDeletesThrough();
    }

    Jar.Ended ended = started.end();
    assertThat(ended.code()).as(ended.output()).isEqualTo(143);
    assertThat(ended.output()).contains("Stopped: purged 500 rows"); // As many as the first has.
    assertThat(rows.count()).isEqualTo(1_205 - 500);
  }

  @Test
  void takesTheTopicsThatAJanitorHasSeenRatherThanScopesOfOtherNames() throws Exception {
    rows.watchClock();
    rows.remember(new QueueId(BROKER.broker().brokerName(), 0));
    rows.renameScope("payments");

    Jar.Ended ended = purge("--retention", "7d", "--dry-run");

    assertThat(ended.output()).contains("by how far it has consumed " + topic + " (topics");
    assertThat(ended.code()).as(ended.output()).isZero();
  }

  @Test
  @Tag("slow") // A socket's time out.
  void endsThoughTheDatabaseFallsSilentWhileABatchRuns() throws Exception {
    rows.holdUpDeletes(4711);
    try (TcpProxy proxy = TcpProxy.to(DATABASE.database().host(), DATABASE.database().port());
        Connection gate = DATABASE.database().dataSource().getConnection();
        Statement statement = gate.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(4711)");
      Jar.Started started =
          jar.startOn(
              DATABASE.database().jdbcUrl(proxy.host(), proxy.port()),
              arguments("--retention", "7d", "--by-wall-clock"));
      awaitThat("a batch waits at the gate", () -> rows.atGate(4711));
      proxy.swallow(TcpProxy.Direction.TO_CLIENT);
      proxy.swallow(TcpProxy.Direction.TO_SERVER);
      started.terminate();

      assertThat(started.end().output()).contains("Told to end");
      statement.execute("SELECT pg_advisory_unlock(4711)");
    } finally {
      rows.letDeletesThrough();
    }
  }

  /** Has the server refuse each write of a session. */
  private static String readOnly(String url) {
    return url + (url.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only=on";
  }

  private static void awaitThat(String what, java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
  }

  private Jar.Ended purge(String... options) throws Exception {
    return jar.start(arguments(options)).end();
  }

  private String[] arguments(String... options) {
    return java.util.stream.Stream.concat(
            java.util.stream.Stream.of(
                "purge", "--group", rows.group(), "--name-server", BROKER.nameServer()),
            java.util.Arrays.stream(options))
        .toArray(String[]::new);
  }
}
