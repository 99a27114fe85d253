package io.txbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadyQueueTest {
  private final ReadyQueue<String> queue = new ReadyQueue<>();
  private long now;

  @Test
  void takesAsManyAsItMayInTheOrderOfArrival() {
    queue.add(List.of(job("a", null), job("b", null), job("c", null)));

    assertThat(take(2)).containsExactly("a", "b");
    assertThat(take(2)).containsExactly("c");
    assertThat(take(2)).isEmpty();
  }

  @Test
  void takesOneKindAtATime() {
    queue.add(List.of(job("a", null), new Job<>("b", "other kind", "b", null), job("c", null)));

    assertThat(take(9)).containsExactly("a", "c");
    assertThat(take(9)).containsExactly("b");
  }

  @Test
  void passesOverAKindThatHasNoRoom() {
    queue.add(List.of(job("a", null), new Job<>("b", "other kind", "b", null)));

    assertThat(payloads(queue.take(kind -> kind.equals("kind") ? 0 : 9, now))).containsExactly("b");
    assertThat(take(9)).containsExactly("a");
  }

  @Test
  void keepsACopyUntilTheFirstOneIsDone() {
    Job<String> first = new Job<>("first", "kind", "same", null);
    queue.add(List.of(first, new Job<>("copy", "kind", "same", null), job("b", null)));

    assertThat(take(9)).containsExactly("first", "b");
    assertThat(take(9)).isEmpty();
    queue.done(List.of(first));
    assertThat(take(9)).containsExactly("copy");
  }

  @Test
  void keepsWhatHasTheOrderOfOneThatIsOut() {
    Job<String> first = job("a1", "a");
    queue.add(List.of(first));
    take(9);
    queue.add(List.of(job("a2", "a"), job("b1", "b"), job("a3", "a")));

    assertThat(take(9)).containsExactly("b1");
    queue.done(List.of(first));
    assertThat(take(9)).containsExactly("a2", "a3");
  }

  @Test
  void putsThoseOfOneOrderBesideEachOther() {
    queue.add(
        List.of(job("b1", "b"), job("a1", "a"), job("n", null), job("b2", "b"), job("a2", "a")));

    assertThat(take(9)).containsExactly("n", "a1", "a2", "b1", "b2");
  }

  @Test
  void letsNothingOvertakeOneThatDoesNotFit() {
    Job<String> copied = new Job<>("x", "kind", "same", null);
    queue.add(List.of(copied));
    take(9);
    queue.add(List.of(new Job<>("a1", "kind", "same", "a"), job("a2", "a")));
    queue.add(List.of(new Job<>("b1", "other kind", "b1", "b"), job("b2", "b"), job("c", null)));

    assertThat(payloads(queue.take(kind -> kind.equals("kind") ? 9 : 0, now))).containsExactly("c");
    queue.done(List.of(copied));
    assertThat(payloads(queue.take(kind -> kind.equals("kind") ? 9 : 0, now)))
        .containsExactly("a1", "a2");
    assertThat(take(9)).containsExactly("b1");
  }

  @Test
  void putsBackToTheFront() {
    Job<String> a = job("a", "order");
    Job<String> b = job("b", "order");
    queue.add(List.of(a, b, job("c", "order")));
    assertThat(take(2)).containsExactly("a", "b");

    queue.done(List.of(a));
    queue.putBack(List.of(b));

    assertThat(take(9)).containsExactly("b", "c");
  }

  @Test
  void givesWhatWaitedForLaterWhenItIsDueAndAlone() {
    Job<String> busy = job("a1", "a");
    Job<String> done = job("a0", "a");
    queue.add(List.of(done, busy));
    take(9);
    queue.done(List.of(done));
    queue.keep(busy, 100);
    queue.add(List.of(job("a2", "a"), new Job<>("copy of a1", "kind", "a1", null), job("b", null)));

    assertThat(take(9)).containsExactly("b");
    assertThat(queue.nextDue()).hasValue(100);
    now = 100;
    assertThat(take(9)).containsExactly("a1");
    assertThat(take(9)).isEmpty();
    queue.done(List.of(busy));
    assertThat(take(9)).containsExactlyInAnyOrder("a2", "copy of a1");
  }

  /** What no schedule may do: two at a time of one identity or order, or one before the other. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void holdsItsPromisesOnRandomSchedules(long seed) {
    Random random = new Random(seed);
    List<Job<String>> all = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int order = random.nextInt(8);
      all.add(
          new Job<>(
              "job-" + i,
              "kind-" + random.nextInt(2),
              "id-" + random.nextInt(300),
              order == 0 ? null : "order-" + order));
    }
    Map<String, List<String>> arrivals = new HashMap<>();
    Map<String, List<String>> ends = new HashMap<>();
    all.forEach(job -> listOf(arrivals, job).add(job.payload()));
    List<List<Job<String>>> out = new ArrayList<>();
    int next = 0;
    int done = 0;
    while (done < all.size()) {
      now++;
      if (next < all.size() && random.nextBoolean()) {
        int upTo = Math.min(all.size(), next + 1 + random.nextInt(10));
        queue.add(all.subList(next, upTo));
        next = upTo;
      }
      if (out.size() < 4) {
        List<Job<String>> batch = queue.take(kind -> 1 + random.nextInt(8), now);
        if (!batch.isEmpty()) {
          out.add(batch);
        }
      }
      assertNothingTwice(out);
      if (!out.isEmpty() && random.nextBoolean()) {
        done += end(out.remove(random.nextInt(out.size())), random, ends);
      }
    }

    assertThat(ends).isEqualTo(arrivals);
  }

  /** Some are done, what follows in the batch goes back or waits. */
  private int end(List<Job<String>> batch, Random random, Map<String, List<String>> ends) {
    int good = random.nextInt(batch.size() + 1);
    List<Job<String>> done = batch.subList(0, good);
    done.forEach(job -> listOf(ends, job).add(job.payload()));
    queue.done(done);
    if (good < batch.size()) {
      boolean busy = random.nextBoolean();
      queue.putBack(batch.subList(busy ? good + 1 : good, batch.size()));
      if (busy) {
        queue.keep(batch.get(good), now + random.nextInt(20));
      }
    }
    return good;
  }

  private static void assertNothingTwice(List<List<Job<String>>> out) {
    Set<Object> identities = new HashSet<>();
    Set<String> orders = new HashSet<>();
    for (List<Job<String>> batch : out) {
      Set<String> ordersHere = new HashSet<>();
      for (Job<String> job : batch) {
        assertThat(identities.add(job.identity())).as("%s is out twice", job.identity()).isTrue();
        if (job.order() != null) {
          ordersHere.add(job.order());
        }
      }
      ordersHere.forEach(order -> assertThat(orders.add(order)).as(order).isTrue());
    }
  }

  private static List<String> listOf(Map<String, List<String>> map, Job<String> job) {
    String key = job.order() == null ? "none of " + job.payload() : job.order();
    return map.computeIfAbsent(key, any -> new ArrayList<>());
  }

  private List<String> take(int atMost) {
    return payloads(queue.take(kind -> atMost, now));
  }

  private static List<String> payloads(List<Job<String>> jobs) {
    return jobs.stream().map(Job::payload).toList();
  }

  private static Job<String> job(String name, @Nullable String order) {
    return new Job<>(name, "kind", name, order);
  }

  @Test
  void givesAllThatNobodyHas() {
    IntStream.range(0, 3).forEach(i -> queue.add(List.of(job("job " + i, null))));
    take(1);

    assertThat(payloads(queue.clear())).containsExactly("job 1", "job 2");
    assertThat(take(9)).isEmpty();
  }
}
