package io.txbox.samples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.InboxMessage;
import io.txbox.samples.demo.Audit.Tally;
import io.txbox.testkit.database.DatabaseExtension;
import java.sql.SQLException;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The oracle of the demo finds what is planted. */
class AuditIT {
  @RegisterExtension static final DatabaseExtension DATABASE = DatabaseExtension.postgres();

  private final DSLContext dsl = DATABASE.database().dsl();
  private final Plan plan = Plan.of(40, 7);
  private final Ledger ledger = new Ledger(plan.opening());

  @BeforeEach
  void openShop() throws SQLException {
    dsl.execute("drop schema public cascade");
    dsl.execute("create schema public");
    Shop.open(Database.POSTGRES, DATABASE.database().dataSource(), plan.opening());
    plan.sends().forEach(send -> ledger.sent(send.business()));
  }

  private List<Business> all() {
    return List.copyOf(ledger.business());
  }

  private Business first(Topic topic) {
    return all().stream().filter(one -> one.topic() == topic).findFirst().orElseThrow();
  }

  private void handle(Business business) throws Exception {
    InboxMessage message =
        InboxMessage.builder(business.topic().name())
            .properties(business.properties())
            .body(business.body().getBytes(UTF_8))
            .build();
    dsl.transaction(tx -> business.topic().handler().handle(message, tx.dsl()));
  }

  private void handleAllBut(Business lost) throws Exception {
    for (Business business : all()) {
      if (!business.equals(lost)) {
        handle(business);
      }
    }
  }

  private void handleAll() throws Exception {
    for (Business business : all()) {
      handle(business);
    }
  }

  private Audit audit() throws SQLException {
    return Audit.of(DATABASE.database().dataSource(), ledger);
  }

  @Test
  void isRightIfEachHasItsEffectOnce() throws Exception {
    handleAll();

    assertThat(audit().isRight()).isTrue();
    assertThat(audit().tally(Topic.PAYMENT).effects()).isEqualTo(40);
    assertThat(audit().tally(Topic.ORDER).effects()).isEqualTo(48);
    assertThat(audit().tally(Topic.ORDER).actual()).isEqualTo(32);
    assertThat(audit().tally(Topic.STOCK).effects()).isEqualTo(40);
  }

  @Test
  void findsADouble() throws Exception {
    handleAll();
    Business payment = first(Topic.PAYMENT);
    handle(payment);
    handle(payment);

    Tally tally = audit().tally(Topic.PAYMENT);
    assertThat(audit().isRight()).isFalse();
    assertThat(tally.doubled()).isEqualTo(1);
    assertThat(tally.tooMuch()).isEqualTo(2 * payment.effect().change());
    assertThat(tally.actual() - tally.expected()).isEqualTo(2 * payment.effect().change());
    assertThat(tally.different()).isEqualTo(1);
    assertThat(tally.lost()).isZero();
  }

  @Test
  void findsALoss() throws Exception {
    Business withdrawal = first(Topic.STOCK);
    handleAllBut(withdrawal);

    Tally tally = audit().tally(Topic.STOCK);
    assertThat(audit().isRight()).isFalse();
    assertThat(tally.lost()).isEqualTo(1);
    assertThat(tally.missing()).isEqualTo(-withdrawal.effect().change());
    assertThat(tally.different()).isEqualTo(1);
    assertThat(tally.doubled()).isZero();
  }

  @Test
  void findsDoublesThatMakeUpForEachOther() throws Exception {
    handleAll();
    handle(Business.paid("order-0"));
    handle(Business.reversed("order-0"));

    Tally tally = audit().tally(Topic.ORDER);
    assertThat(tally.different()).isZero();
    assertThat(tally.doubled()).isEqualTo(2);
    assertThat(audit().isRight()).isFalse();
  }

  @Test
  void findsAChangeThatNobodySent() throws Exception {
    handleAll();
    dsl.execute("update account set balance = balance + 1 where id = 'account-3'");

    assertThat(audit().tally(Topic.PAYMENT).strange()).isEqualTo(1);
    assertThat(audit().isRight()).isFalse();
  }

  @Test
  void findsABalanceThatItsChangesDoNotExplain() throws Exception {
    handleAll();
    dsl.execute("alter table stock disable trigger after_stock");
    dsl.execute("update stock set quantity = quantity - 1 where id = 'article-0'");

    assertThat(audit().tally(Topic.STOCK).different()).isEqualTo(1);
    assertThat(audit().isRight()).isFalse();
  }
}
