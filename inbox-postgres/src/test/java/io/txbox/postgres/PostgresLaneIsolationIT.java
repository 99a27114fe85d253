package io.txbox.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.Receipt;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.migrations.Migrations;
import io.txbox.store.StoreDialect;
import io.txbox.testkit.contract.LaneIsolationContract;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresLaneIsolationIT extends LaneIsolationContract {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Override
  protected TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  protected StoreDialect dialect() {
    return new PostgresDialect();
  }

  /** In the way of the real tables, if the search path is moved. */
  @BeforeEach
  void makeDecoys() {
    DSLContext dsl = DATABASE.database().dsl(DATABASE.database().dataSource());
    dsl.execute("CREATE SCHEMA IF NOT EXISTS decoy");
    dsl.execute("CREATE TABLE IF NOT EXISTS decoy.business_effect (effect varchar(100))");
    dsl.execute("CREATE TABLE IF NOT EXISTS decoy.inbox (LIKE public.inbox)");
  }

  @Override
  protected List<String> spoilingTheTransaction() {
    return List.of(
        "SET LOCAL search_path TO decoy, public",
        "SELECT set_config('search_path', 'decoy, public', true)",
        "DO $$ BEGIN PERFORM set_config('search_path', 'decoy, public', true); END $$",
        "CREATE TEMPORARY TABLE business_effect (effect varchar(100)) ON COMMIT DROP",
        "SET LOCAL ROLE pg_monitor");
  }

  @Override
  protected void breakConnectionOf(DSLContext tx) {
    tx.execute("SELECT pg_terminate_backend(pg_backend_pid())");
  }

  /** What a function sets inside is not seen, so that what it breaks must be rolled back. */
  @Test
  void rollsBackClaimsThatCannotBeGivenUp() {
    DSLContext dsl = DATABASE.database().dsl(DATABASE.database().dataSource());
    dsl.execute("CREATE TABLE handled (id text)");
    dsl.execute(
        """
        CREATE FUNCTION move_search_path() RETURNS text LANGUAGE sql
        AS $$ SELECT set_config('search_path', 'decoy', true) $$""");
    Queue<InboxEvent> failures = new ConcurrentLinkedQueue<>();
    Inbox inbox =
        Inbox.builder("moving", dsl, dialect())
            .handler(
                "MOVES",
                DedupKeys.keys(),
                (message, tx) -> {
                  tx.execute("INSERT INTO handled VALUES (?)", message.keys().orElseThrow());
                  new CountDownLatch(1).await(30, TimeUnit.MILLISECONDS); // All that a batch has.
                  tx.execute("SELECT move_search_path()");
                })
            .listener(
                event -> {
                  if (event instanceof InboxEvent.Failed) {
                    failures.add(event);
                  }
                })
            .build();
    LaneSettings oneLane =
        LaneSettings.DEFAULTS.withLanes(1).withMaxBatch(64).withBatchTime(Duration.ofMillis(20));

    try (InboxLanes lanes = new InboxLanes("moving", inbox, oneLane)) {
      List<CompletableFuture<Receipt>> receipts =
          lanes.submit(
              IntStream.range(0, 5)
                  .mapToObj(i -> InboxMessage.builder("MOVES").keys("m" + i).build())
                  .toList());

      assertThat(receipts)
          .allMatch(receipt -> receipt.orTimeout(30, TimeUnit.SECONDS).join().isProcessed());
    }

    assertThat(failures).isEmpty();
    assertThat(dsl.fetchValues("SELECT id FROM handled ORDER BY id"))
        .isEqualTo(List.of("m0", "m1", "m2", "m3", "m4"));
  }
}
