package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txbox.store.Claim;
import io.txbox.store.FailureKind;
import io.txbox.store.InboxRow;
import io.txbox.store.InboxSchema;
import io.txbox.store.RowState;
import io.txbox.store.StoreDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims, of one row and of many, on plain connections. */
public abstract class StoreDialectContract extends DatabaseContract {
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final short SCOPE = 1;

  private final InboxSchema schema = InboxSchema.ofConnection();
  private final StoreDialect dialect = dialect();

  /** For subclasses. */
  protected StoreDialectContract() {}

  @Test
  void saysExactlyWhichRowsOfABatchAreNew() throws SQLException {
    try (Connection first = open();
        Connection second = open()) {
      assertThat(claim(first, PATIENT, "a", "c", "e"))
          .isEqualTo(new Claim.Decided(Set.of("a", "c", "e")));
      first.commit();
      assertThat(claim(second, PATIENT, "a", "b", "c", "d"))
          .isEqualTo(new Claim.Decided(Set.of("b", "d")));
      second.rollback();
      assertThat(claim(second, PATIENT, "a", "c")).isEqualTo(new Claim.Decided(Set.of()));
    }
  }

  // BC-25
  @Test
  void overlappingBatchesWaitForEachOtherAndShareOutTheirKeys() throws Exception {
    try (Connection first = open();
        Connection second = open()) {
      claim(first, PATIENT, "a", "c");
      int before = LockWaits.count(dsl());
      CompletableFuture<Claim> waiting =
          CompletableFuture.supplyAsync(
              () -> quietly(() -> claim(second, PATIENT, "a", "b", "c")), InboxContract.THREADS);
      await().atMost(Duration.ofMinutes(1)).until(() -> LockWaits.count(dsl()) > before);

      first.rollback();

      assertThat(waiting)
          .succeedsWithin(PATIENT)
          .isEqualTo(new Claim.Decided(Set.of("a", "b", "c")));
      second.rollback();
    }
  }

  @Test
  void reportsABusyKeyAsSuchWhenItsPatienceEnds() throws SQLException {
    try (Connection first = open();
        Connection second = open()) {
      claim(first, PATIENT, "a");

      assertThatThrownBy(() -> claim(second, Duration.ofSeconds(1), "a"))
          .isInstanceOfSatisfying(
              SQLException.class,
              busy -> assertThat(dialect.classify(busy).isWaitThatEnded()).isTrue());
    }
  }

  @Test
  void finishesAClaimThatNeedsNoPatience() throws SQLException {
    try (Connection connection = open()) {
      String[] keys =
          Stream.iterate(10, i -> i + 1).limit(64).map(i -> "k" + i).toArray(String[]::new);
      assertThat(claim(connection, Duration.ofSeconds(1), keys))
          .isEqualTo(new Claim.Decided(Set.of(keys)));
      connection.rollback();
    }
  }

  @Test
  void refusesToCommitWhatCannotBeCommitted() throws SQLException {
    try (Connection connection = open()) {
      claim(connection, PATIENT, "a");
      dialect.checkBeforeCommit(connection);
      connection.commit();

      assertThatThrownBy(() -> dialect.checkBeforeCommit(connection))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void knowsTheErrorOfAMissingTableAsTheMessagesOwn() {
    assertThatThrownBy(
            () -> dsl().connection(c -> c.createStatement().execute("select * from nil")))
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(dialect.classify(e)).isEqualTo(FailureKind.PERMANENT));
  }

  private Connection open() throws SQLException {
    Connection connection = database().dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private Claim claim(Connection connection, Duration wait, String... keys) throws SQLException {
    List<InboxRow> rows =
        Stream.of(keys)
            .map(
                key ->
                    new InboxRow(
                        SCOPE,
                        group + key,
                        RowState.PROCESSED,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        "id",
                        7))
            .toList();
    return withoutGroup(dialect.claim(connection, schema, rows, wait));
  }

  /** Keys carry the test's group, so that tests do not meet; the assertions read better without. */
  private Claim withoutGroup(Claim claim) {
    return claim instanceof Claim.Decided decided
        ? new Claim.Decided(
            decided.claimed().stream()
                .map(key -> key.substring(group.length()))
                .collect(Collectors.toSet()))
        : claim;
  }

  private static <T> T quietly(Callable<T> call) {
    try {
      return call.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
