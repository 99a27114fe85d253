package io.txbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static final Case INBOX = new Case(Arm.INBOX, Cost.STATEMENTS);
  private static final Case PLAIN = new Case(Arm.PLAIN, Cost.STATEMENTS);

  @Test
  void takesARatioWithinEachRound() {
    // The machine is half as fast in the second round, which no ratio shows.
    Results results =
        new Results(
            List.of(
                sample(1, INBOX, 3_000, 2),
                sample(1, PLAIN, 1_000, 20),
                sample(2, PLAIN, 500, 20),
                sample(2, INBOX, 2_000, 7),
                sample(3, PLAIN, 1_000, 20),
                sample(3, INBOX, 3_500, 2)));

    assertThat(results.ratio(INBOX, PLAIN)).contains(new Spread(3.5, 3, 4));
    assertThat(results.ratio(INBOX, new Case(Arm.PLAIN_LANES, Cost.STATEMENTS))).isEmpty();
    assertThat(results.spread(PLAIN, Sample::perSecond)).isEqualTo(new Spread(1_000, 500, 1_000));
    assertThat(results.laneConnections()).hasValue(7);
    assertThat(results.cases()).containsExactly(PLAIN, INBOX);
  }

  @Test
  void takesTheMiddleOfTwo() {
    assertThat(Spread.of(List.of(4.0, 1.0, 3.0, 2.0))).isEqualTo(new Spread(2.5, 1, 4));
  }

  @Test
  void takesEachCaseOnceInEachRoundAndInAnotherOrder() {
    List<Case> all = Case.all(List.of(Arm.values()), List.of(Cost.values()));
    List<List<Case>> rounds =
        IntStream.range(0, 6).mapToObj(round -> Case.inOrderOf(round, all)).toList();

    assertThat(rounds).doesNotHaveDuplicates();
    assertThat(rounds)
        .allSatisfy(round -> assertThat(round).containsExactlyInAnyOrderElementsOf(all));
  }

  @Test
  void measuresAllThatIsToBeReached() {
    List<Case> all = Case.all(List.of(Arm.values()), List.of(Cost.values()));

    assertThat(Goal.ALL).allSatisfy(goal -> assertThat(all).contains(goal.left(), goal.right()));
  }

  private static Sample sample(int round, Case measured, int perSecond, int connections) {
    return new Sample(round, measured, perSecond, Duration.ofSeconds(1), connections, 10, 0);
  }
}
