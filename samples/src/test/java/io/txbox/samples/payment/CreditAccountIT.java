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
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CreditAccountIT {
  // README: test
  @RegisterExtension
  static final DatabaseExtension DATABASE =
      DatabaseExtension.postgres().schema(Migrations::migrate);

  @Test
  void creditsAPaymentOnceHoweverOftenItIsSent() {
    DSLContext dsl = accounts();
    dsl.execute("insert into account values ('alice', 0)");
    Inbox inbox =
        Inbox.builder("accounts", dsl, new PostgresDialect())
            .handler("PAYMENT", DedupKeys.property("PAYMENT_ID"), new CreditAccount())
            .build();

    assertThat(inbox.receive(payment("p-1", "alice", 250)).isProcessed()).isTrue();
    assertThat(inbox.receive(payment("p-1", "alice", 250)).isDuplicate()).isTrue();
    assertThat(balance(dsl, "alice")).isEqualTo(250);
  }

  private static InboxMessage payment(String id, String account, long cents) {
    return InboxMessage.builder("PAYMENT")
        .property("PAYMENT_ID", id)
        .property("ACCOUNT", account)
        .body(Long.toString(cents).getBytes(UTF_8))
        .build();
  }

  private static DSLContext accounts() {
    DSLContext dsl = DATABASE.database().dsl();
    dsl.execute(
        "create table if not exists account (id text primary key, balance bigint not null)");
    return dsl;
  }

  private static long balance(DSLContext dsl, String account) {
    return dsl.fetchSingle("select balance from account where id = ?", account).get(0, Long.class);
  }

  // README: end

  @Test
  void takesAPaymentOnceItsAccountIsThere() {
    DSLContext dsl = accounts();
    Inbox inbox =
        Inbox.builder("accounts", dsl, new PostgresDialect())
            .handler("PAYMENT", DedupKeys.property("PAYMENT_ID"), new CreditAccount())
            .build();

    assertThatThrownBy(() -> inbox.receive(payment("p-2", "bob", 100)))
        .isInstanceOf(HandlerFailedException.class)
        .hasMessageContaining("There is no account bob");
    dsl.execute("insert into account values ('bob', 0)");

    assertThat(inbox.receive(payment("p-2", "bob", 100)).isProcessed()).isTrue();
    assertThat(balance(dsl, "bob")).isEqualTo(100);
  }
}
