package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.txbox.HandlerFailedException;
import io.txbox.InboxHandler;
import io.txbox.TransactionRefusedException;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.Receipt;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ATOMIC, whatever a handler does with its transaction and whatever the pool's defaults are. */
public abstract class TransactionContract extends DatabaseContract {
  private static final String BROKEN_SQL = "insert into no_such_table values (1)";

  /** For subclasses. */
  protected TransactionContract() {}

  // BC-08
  @Test
  void refusesToCommitOverASwallowedError() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              assertThatThrownBy(() -> tx.execute(BROKEN_SQL));
            });

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(TransactionRefusedException.class)
        .hasMessageContaining("no_such_table")
        .hasMessageContaining("tx.transaction(…)");
    assertNothingStored();
  }

  // BC-08
  @Test
  void seesAnErrorThatWasSwallowedOnThePlainConnection() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              tx.connection(
                  connection -> {
                    try (Statement statement = connection.createStatement()) {
                      assertThatThrownBy(() -> statement.execute(BROKEN_SQL));
                    }
                  });
            });

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(TransactionRefusedException.class);
    assertNothingStored();
  }

  @Test
  void forgivesAnErrorThatWasRolledBackToASavepoint() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              assertThatThrownBy(
                  () ->
                      tx.transaction(
                          nested -> {
                            Effects.add(nested.dsl(), "lost");
                            nested.dsl().execute(BROKEN_SQL);
                          }));
              Effects.add(tx, "b");
            });

    assertThat(inbox.receive(message("a")).isProcessed()).isTrue();
    assertThat(effects().all()).containsExactly("a", "b");
  }

  @Test
  void rollsBackNestedTransactionsWithTheirHandler() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              tx.transaction(nested -> Effects.add(nested.dsl(), "a"));
              throw new IOException("no");
            });

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(HandlerFailedException.class);
    assertNothingStored();
  }

  @Test
  void nestsTransactionsInTransactions() {
    Inbox inbox =
        inbox(
            (message, tx) ->
                tx.transaction(
                    outer -> {
                      Effects.add(outer.dsl(), "a");
                      outer.dsl().transaction(inner -> Effects.add(inner.dsl(), "b"));
                      assertThatThrownBy(
                          () ->
                              outer
                                  .dsl()
                                  .transaction(
                                      inner -> {
                                        Effects.add(inner.dsl(), "lost");
                                        throw new IOException("no");
                                      }));
                    }));

    inbox.receive(message("a"));

    assertThat(effects().all()).containsExactly("a", "b");
  }

  // BC-54
  @ParameterizedTest
  @ValueSource(
      strings = {
        "commit",
        "rollback",
        "begin",
        "start transaction",
        "set autocommit = 1",
        "select 1; commit",
        "/* tidy up */ COMMIT",
      })
  void refusesSqlThatEndsTheTransaction(String sql) {
    assertRefused((message, tx) -> tx.execute(sql));
  }

  // BC-54
  @Test
  void refusesToEndTheTransactionThroughItsConnection() {
    assertRefused((message, tx) -> tx.connection(Connection::commit));
    assertRefused((message, tx) -> tx.connection(Connection::rollback));
    assertRefused((message, tx) -> tx.connection(c -> c.setAutoCommit(true)));
    assertRefused((message, tx) -> tx.connection(c -> c.setReadOnly(true)));
    assertRefused((message, tx) -> tx.connection(c -> c.setSchema("elsewhere")));
    assertRefused((message, tx) -> tx.connection(c -> c.setCatalog("elsewhere")));
    assertRefused(
        (message, tx) ->
            tx.connection(c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)));
    assertRefused((message, tx) -> tx.connection(c -> c.abort(Runnable::run)));
    assertRefused((message, tx) -> tx.connection(c -> c.unwrap(Connection.class).commit()));
    assertRefused((message, tx) -> tx.connection(c -> c.getMetaData().getConnection().commit()));
    assertRefused(
        (message, tx) ->
            tx.connection(
                c -> {
                  try (Statement statement = c.createStatement()) {
                    statement.getConnection().commit();
                  }
                }));
    assertRefused(
        (message, tx) ->
            tx.connection(
                c -> {
                  try (Statement statement = c.createStatement();
                      ResultSet rows = statement.executeQuery("select 1")) {
                    rows.getStatement().getConnection().commit();
                  }
                }));
    assertRefused(
        (message, tx) ->
            tx.connection(
                c -> {
                  try (Statement statement = c.createStatement()) {
                    statement.addBatch("commit");
                    statement.executeBatch();
                  }
                }));
  }

  /** A refusal fails the message both if the handler lets it out and if it swallows it. */
  private void assertRefused(InboxHandler misuse) {
    Inbox loud =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              misuse.handle(message, tx);
            });
    assertThatThrownBy(() -> loud.receive(message("a")))
        .isInstanceOf(HandlerFailedException.class)
        .hasStackTraceContaining("is refused in a handler");
    Inbox silent =
        inbox(
            (message, tx) -> {
              Effects.add(tx, "a");
              assertThat(catchThrowable(() -> misuse.handle(message, tx))).isNotNull();
            });
    assertThatThrownBy(() -> silent.receive(message("a")))
        .isInstanceOf(TransactionRefusedException.class)
        .hasMessageContaining("is refused in a handler");
    assertNothingStored();
  }

  @Test
  void ignoresThatAHandlerClosesItsConnection() {
    Inbox inbox =
        inbox(
            (message, tx) -> {
              tx.connection(Connection::close);
              Effects.add(tx, "a");
            });

    inbox.receive(message("a"));

    assertThat(effects().all()).containsExactly("a");
  }

  // BC-17
  @Test
  void aTransactionThatWasKeptIsDead() {
    CompletableFuture<DSLContext> kept = new CompletableFuture<>();
    CompletableFuture<Connection> keptConnection = new CompletableFuture<>();
    Inbox inbox =
        inbox(
            (message, tx) -> {
              kept.complete(tx);
              tx.connection(keptConnection::complete);
            });

    inbox.receive(message("a"));

    assertThatThrownBy(() -> Effects.add(kept.join(), "late"))
        .isInstanceOf(DataAccessException.class)
        .hasMessageContaining("This transaction is over");
    assertThatThrownBy(() -> keptConnection.join().createStatement())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("This transaction is over");
    assertThat(effects().count()).isZero();
  }

  // BC-17
  @Test
  void aStatementThatWasKeptIsDead() {
    CompletableFuture<Statement> kept = new CompletableFuture<>();
    Inbox inbox =
        inbox(
            (message, tx) ->
                tx.connection(connection -> kept.complete(connection.createStatement())));

    inbox.receive(message("a"));

    assertThatThrownBy(() -> kept.join().execute("select 1"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("This transaction is over");
  }

  // BC-52
  @Test
  void needsOneConnectionForAMessage() {
    DSLContext one = dsl(pool -> pool.setMaximumPoolSize(1));
    Inbox inbox =
        inbox(one, (message, tx) -> tx.transaction(nested -> Effects.add(nested.dsl(), "a")));

    inbox.receive(message("a"));

    assertThat(effects().all()).containsExactly("a");
  }

  // BC-22
  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRANSACTION_READ_COMMITTED",
        "TRANSACTION_REPEATABLE_READ",
        "TRANSACTION_SERIALIZABLE"
      })
  void claimsAtReadCommittedWhateverThePoolsDefault(String isolation) {
    DSLContext strict =
        dsl(
            pool -> {
              pool.setTransactionIsolation(isolation);
              pool.setMaximumPoolSize(12);
            });
    Inbox inbox =
        inbox(
            strict,
            (message, tx) -> {
              Effects.handler().handle(message, tx);
              if (message.keys().orElseThrow().equals("probe")) {
                int before = Effects.count(tx);
                Effects.add(dsl(), "committed meanwhile");
                assertThat(Effects.count(tx)).isEqualTo(before + 1);
              }
            });

    inbox.receive(message("probe"));
    List<Receipt> copies = InboxContract.atOnce(12, i -> inbox.receive(message("same")));
    List<Receipt> others = InboxContract.atOnce(12, i -> inbox.receive(message("other-" + i)));

    assertThat(copies).filteredOn(Receipt::isProcessed).hasSize(1);
    assertThat(others).allMatch(Receipt::isProcessed);
    assertThat(effects().count()).isEqualTo(15);
    assertThat(events.of(InboxEvent.Failed.class)).isEmpty();
  }

  @Test
  void retriesADeadlockAsAWhole() {
    List<Receipt> receipts = inDeadlock(Runnable::run);

    assertThat(receipts).allMatch(Receipt::isProcessed);
    assertThat(effects().all()).containsExactly("a", "b", "left", "right");
    assertThat(events.of(InboxEvent.Retried.class)).hasSize(1);
  }

  // BC-07
  @Test
  void retriesADeadlockThatTheHandlerSwallowed() {
    inDeadlock(
        last -> {
          try {
            last.run();
          } catch (DataAccessException e) {
            // What a careless handler does.
          }
        });

    assertThat(effects().all()).containsExactly("a", "b", "left", "right");
  }

  /**
   * Receives "a" and "b", whose handlers lock two rows in opposite order and meet in between, the
   * first time; the second lock and the effect come in a step that may be run with care or without.
   */
  private List<Receipt> inDeadlock(Consumer<Runnable> lastStep) {
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    AtomicInteger runs = new AtomicInteger();
    Effects.add(dsl(), "left");
    Effects.add(dsl(), "right");
    Inbox inbox =
        inbox(
            (message, tx) -> {
              String key = message.keys().orElseThrow();
              Effects.touch(tx, key.equals("a") ? "left" : "right");
              if (runs.incrementAndGet() <= 2) {
                bothHoldOne.await(30, TimeUnit.SECONDS);
              }
              lastStep.accept(
                  () -> {
                    Effects.touch(tx, key.equals("a") ? "right" : "left");
                    Effects.add(tx, key);
                  });
            });
    return InboxContract.atOnce(2, i -> inbox.receive(message(i == 0 ? "a" : "b")));
  }

  @Test
  void givesUpAfterItsRetriesAndLeavesNothing() {
    AtomicInteger runs = new AtomicInteger();
    Inbox inbox =
        builder(dsl())
            .maxTransientRetries(3)
            .handler(
                TOPIC,
                BY_KEYS,
                (message, tx) -> {
                  runs.incrementAndGet();
                  Effects.add(tx, "a");
                  throw new DataAccessException(
                      "forged", new SQLException("forged", "40001", 1213));
                })
            .build();

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(HandlerFailedException.class);

    assertThat(runs).hasValue(4);
    assertThat(events.of(InboxEvent.Retried.class)).hasSize(3);
    assertNothingStored();
  }

  private void assertNothingStored() {
    assertThat(effects().all()).doesNotContain("a", "b");
    assertThat(inboxRows()).isZero();
  }
}
