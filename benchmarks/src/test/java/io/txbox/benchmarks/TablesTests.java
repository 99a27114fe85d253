package io.txbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A speed counts only if the effects are right: here they are wrong, in each way there is. */
abstract class TablesTests {
  private static final int MESSAGES = 2_500;
  private static final Case PLAIN = new Case(Arm.PLAIN, Cost.STATEMENTS);

  private final Database kind;
  private final DSLContext dsl;
  private final Tables tables;

  TablesTests(Database kind, DSLContext dsl) {
    this.kind = kind;
    this.dsl = dsl;
    dsl.execute("drop table if exists payment, account, consume_status");
    tables = Tables.create(kind, dsl);
  }

  @BeforeEach
  void haveRightEffects() {
    tables.reset(PLAIN.cost(), MESSAGES);
    dsl.transaction(
        tx ->
            IntStream.range(0, MESSAGES)
                .mapToObj(Payment::new)
                .forEach(payment -> payment.handle(PLAIN.cost(), tx.dsl())));
  }

  @Test
  void acceptsRightEffects() {
    assertThatCode(() -> tables.check(PLAIN, MESSAGES)).doesNotThrowAnyException();
  }

  @Test
  void acceptsTheSameEffectsWrittenByTheSet() {
    tables.reset(PLAIN.cost(), MESSAGES);
    dsl.transaction(
        tx ->
            Payment.handleAll(
                IntStream.range(0, MESSAGES).mapToObj(Payment::new).toList(),
                PLAIN.cost(),
                kind,
                tx.dsl()));

    assertThatCode(() -> tables.check(PLAIN, MESSAGES)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a lost effect                  | payments: 2,499 instead of 2,500             | delete from payment where id = 'payment-7'
          a doubled effect               | payments: 2,501 instead of 2,500             | insert into payment select * from payment where id = 'payment-7'
          one lost and another doubled   | different payments: 2,499 instead of 2,500   | update payment set id = 'payment-8' where id = 'payment-7'
          one that was never sent        | messages that were sent: 2,499 instead of    | update payment set id = 'payment-9999' where id = 'payment-7'
          half an effect                 | sum of the balances: 2,499 instead of 2,500  | update account set balance = balance - 1 where id = 7
          one in the wrong place         | balance is not that of their payments: 2 ins | update account set balance = balance + case id when 7 then 1 else -1 end where id in (7, 8)
          a row in an inbox there is not | rows in the inbox: 1 instead of 0            | insert into inbox (scope_id, dedup_key, state, message_time, processed_at, message_id, body_fingerprint) values (1, 'payment-7', 1, 0, 0, 'id', 0)
          """)
  void finds(String what, String said, String sql) {
    dsl.execute(sql);

    assertThatThrownBy(() -> tables.check(PLAIN, MESSAGES))
        .as(what)
        .isInstanceOf(WrongEffectsException.class)
        .hasMessageContaining("plain at cost statements")
        .hasMessageContaining(said);
  }

  @Test
  void findsAMessageWithoutItsRowInTheInbox() {
    assertThatThrownBy(() -> tables.check(new Case(Arm.INBOX, PLAIN.cost()), MESSAGES))
        .isInstanceOf(WrongEffectsException.class)
        .hasMessageContaining("rows in the inbox: 0 instead of 2,500");
  }

  @Test
  void findsADuplicateThatHadEffects() {
    assertThatThrownBy(() -> tables.check(new Case(Arm.DUPLICATES, Cost.NOTHING), MESSAGES))
        .isInstanceOf(WrongEffectsException.class)
        .hasMessageContaining("payments: 2,500 instead of 0");
  }
}
