package io.txbox.samples.payment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.DedupKeys;
import io.txbox.HandlerFailedException;
import io.txbox.InboxMessage;
import io.txbox.inbox.Inbox;
import io.txbox.migrations.Migrations;
import io.txbox.postgres.PostgresDialect;
import io.txbox.testkit.database.DatabaseExtension;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CreditAccountsIT {
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  private final DSLContext dsl = DATABASE.database().dsl();

  @BeforeEach
  void openAccounts() {
    dsl.execute("drop table if exists account");
    dsl.execute("create table account (id text primary key, balance bigint not null)");
    dsl.execute("insert into account values ('alice', 10), ('bob', 20), ('carol', 30)");
  }

  @Test
  void creditsEachAccountTheSumOfItsPayments() {
    List<InboxMessage> payments =
        List.of(
            payment("p-1", "alice", 250), payment("p-2", "bob", 1), payment("p-3", "alice", 50));

    dsl.transaction(tx -> new CreditAccounts().handle(payments, tx.dsl()));

    assertThat(balances()).containsExactly(310L, 21L, 30L);
  }

  @Test
  void creditsAPaymentOnceHoweverOftenItIsSent() {
    Inbox inbox = inbox();

    assertThat(inbox.receive(payment("p-4", "alice", 250)).isProcessed()).isTrue();
    assertThat(inbox.receive(payment("p-4", "alice", 250)).isDuplicate()).isTrue();

    assertThat(balances()).containsExactly(260L, 20L, 30L);
  }

  @Test
  void refusesAPaymentWithoutAnAccount() {
    Inbox inbox = inbox();

    assertThatThrownBy(() -> inbox.receive(payment("p-5", "dave", 250)))
        .isInstanceOf(HandlerFailedException.class)
        .hasMessageContaining("is not there: [dave]");
  }

  private Inbox inbox() {
    return Inbox.builder("accounts", dsl, new PostgresDialect())
        .batchHandler("PAYMENT", DedupKeys.property("PAYMENT_ID"), new CreditAccounts())
        .build();
  }

  private List<Long> balances() {
    return dsl.fetch("select balance from account order by id").getValues(0, Long.class);
  }

  private static InboxMessage payment(String id, String account, long cents) {
    return InboxMessage.builder("PAYMENT")
        .property("PAYMENT_ID", id)
        .property("ACCOUNT", account)
        .body(Long.toString(cents).getBytes(UTF_8))
        .build();
  }
}
