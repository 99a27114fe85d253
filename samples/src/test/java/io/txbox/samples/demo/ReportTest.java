package io.txbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.samples.demo.Audit.Tally;
import io.txbox.samples.demo.Event.Outcome;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final Tally RIGHT = new Tally(1, 1, 0, 0, 0, 0, 0, 5, 5, 0);
  private static final Tally DOUBLED = new Tally(1, 2, 1, 12_340_00, 0, 0, 0, 5, 10, 1);
  private static final Tally LOST = new Tally(1, 0, 0, 0, 1, 120_00, 0, 5, 0, 1);

  private final Ledger ledger = new Ledger(Map.of());
  private final Deliveries deliveries = new Deliveries(ledger);
  private final Faults faults = new Faults();

  private Report report(Tally payments) {
    return new Report(
        Mode.TXBOX,
        ledger,
        deliveries,
        faults,
        new Audit(Map.of(Topic.PAYMENT, payments, Topic.ORDER, RIGHT, Topic.STOCK, RIGHT)),
        true);
  }

  /** All that has to happen. */
  private void everythingHappens() {
    faults.killedInTransaction = 1;
    faults.killedAfterCommit = 1;
    faults.brokerKills = 1;
    faults.joined = 1;
    faults.left = 1;
    faults.rewound = 1;
    faults.deliveredAfterRewind = 1;
    ledger.sendsAgain(Topic.PAYMENT, "twice");
    happens(Outcome.REDELIVERY, "once", 1);
    happens(Outcome.REDELIVERY, "twice", 2);
    happens(Outcome.RESENT, "once", 3);
    happens(Outcome.CONFLICT, "once", 4);
  }

  private void happens(Outcome outcome, String messageId, long offset) {
    deliveries.add("instance-1", new Event(outcome, Topic.PAYMENT, messageId, "0@" + offset, 1));
  }

  @Test
  void isRightIfAllIsExactlyOnceAndAllHappened() {
    everythingHappens();

    assertThat(report(RIGHT).notShown()).isEmpty();
    assertThat(report(RIGHT).isRight()).isTrue();
    assertThat(report(RIGHT).verdict()).startsWith("EXACTLY ONCE: 3 business ids");
  }

  @Test
  void isNotRightIfNothingHappened() {
    assertThat(report(RIGHT).isRight()).isFalse();
    assertThat(report(RIGHT).notShown()).hasSize(9);
    assertThat(report(RIGHT).verdict()).startsWith("NOT SHOWN").contains("open transaction");
  }

  @Test
  void isNotRightIfOneCauseIsMissing() {
    everythingHappens();
    faults.killedInTransaction = 0;

    assertThat(report(RIGHT).isRight()).isFalse();
    assertThat(report(RIGHT).notShown()).containsExactly("no kill hit an open transaction");
  }

  @Test
  void countsAllKillsAndSaysWhichDidNotHit() {
    everythingHappens();
    assertThat(String.join("\n", faults.lines(1)))
        .contains("SIGKILL, 3 times:", "1 send failed and was made again")
        .doesNotContain("too late");

    faults.killedInVain = 1;

    assertThat(String.join("\n", faults.lines(2)))
        .contains("SIGKILL, 4 times:", "1 that came a moment too late", "2 sends failed");
    assertThat(report(RIGHT).verdict()).contains(", 4 kills, ");
  }

  @Test
  void countsTheClientsOwnResendApartFromTheBrokersRedelivery() {
    ledger.sendsAgain(Topic.PAYMENT, "twice");
    happens(Outcome.PROCESSED, "twice", 1);
    happens(Outcome.REDELIVERY, "twice", 2);
    happens(Outcome.REDELIVERY, "twice", 2);

    assertThat(deliveries.byClient(Topic.PAYMENT)).isEqualTo(1);
    assertThat(deliveries.count(Topic.PAYMENT, Outcome.REDELIVERY)).isEqualTo(2);
  }

  @Test
  void saysWhatMoneyIsWrong() {
    everythingHappens();

    assertThat(report(DOUBLED).isRight()).isFalse();
    assertThat(report(DOUBLED).verdict()).isEqualTo("WRONG: 1 payments doubled (+12,340.00)");
    assertThat(report(LOST).isRight()).isFalse();
    assertThat(report(LOST).verdict()).isEqualTo("WRONG: 1 payments lost (-120.00)");
  }
}
