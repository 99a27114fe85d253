package io.txbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {
  private final Plan plan = Plan.of(100, 7);

  @Test
  void sendsTheSameForTheSameSeed() {
    assertThat(Plan.of(100, 7)).isEqualTo(plan);
    assertThat(Plan.of(100, 8)).isNotEqualTo(plan);
  }

  @Test
  void sendsEachIdOneToThreeTimes() {
    Map<String, Long> times =
        plan.sends().stream()
            .collect(Collectors.groupingBy(send -> send.business().id(), Collectors.counting()));

    assertThat(times).hasSize(320);
    assertThat(times.values()).containsOnly(1L, 2L, 3L);
  }

  @Test
  void noTwoIdsHaveTheSameEffect() {
    Map<Effect, List<String>> ids =
        plan.sends().stream()
            .map(Send::business)
            .distinct()
            .collect(
                Collectors.groupingBy(
                    Business::effect, Collectors.mapping(Business::id, Collectors.toList())));

    assertThat(ids.values()).allMatch(same -> same.size() == 1);
  }

  @Test
  void partsAreTheWhole() {
    assertThat(IntStream.range(0, 8).mapToObj(i -> plan.part(i, 8)).flatMap(List::stream))
        .isEqualTo(plan.sends());
  }

  @Test
  void aCopyOfPaidComesAfterTheReversal() {
    Map<String, Integer> last =
        IntStream.range(0, plan.sends().size())
            .boxed()
            .collect(
                Collectors.toMap(
                    i -> plan.sends().get(i).business().id(), Function.identity(), Math::max));
    Map<String, Integer> first =
        IntStream.range(0, plan.sends().size())
            .boxed()
            .collect(
                Collectors.toMap(
                    i -> plan.sends().get(i).business().id(), Function.identity(), Math::min));

    assertThat(last.get("order-5 PAID")).isGreaterThan(first.get("order-5 REVERSED"));
  }
}
