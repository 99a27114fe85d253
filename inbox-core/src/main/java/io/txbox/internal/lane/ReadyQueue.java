package io.txbox.internal.lane;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Holds jobs until a lane takes them, as they arrived. A job is ready if no job with the same
 * identity, and none with the same order, is out with a lane, and none with the same order is
 * before it.
 *
 * <p>A job that waits for later is out until it is done: neither a copy of it nor what is to come
 * after it gets past it. Not thread-safe.
 */
final class ReadyQueue<T> {
  private final Set<Job<T>> arrived = new LinkedHashSet<>();
  private final Map<Job<T>, Long> waiting = new LinkedHashMap<>();
  private final Map<Object, Integer> kinds = new HashMap<>(); // Of those arrived and returned.
  private final Set<Object> identitiesOut = new HashSet<>();
  private final Set<String> ordersOut = new HashSet<>();
  private Set<Job<T>> returned = new LinkedHashSet<>();
  private boolean waitersTurn = true;

  void add(Collection<Job<T>> jobs) {
    arrived.addAll(jobs);
    jobs.forEach(job -> kinds.merge(job.kind(), 1, Integer::sum));
  }

  /**
   * Takes the first job that is ready, and others of its kind. One that has waited for later is
   * taken alone, in turns with the others: many that wait in vain must not keep these waiting.
   *
   * @param atMost says how many of a kind may be taken now
   * @return those with the same order beside each other, as they arrived; empty if none is ready
   */
  List<Job<T>> take(ToIntFunction<Object> atMost, long now) {
    Map<Object, Integer> room = new HashMap<>();
    List<Job<T>> taken = waitersTurn ? takeWaiting(room, atMost, now) : List.of();
    if (taken.isEmpty()) {
      taken = takeReady(room, atMost);
      waitersTurn = true;
      if (taken.isEmpty()) {
        taken = takeWaiting(room, atMost, now);
      }
    } else {
      waitersTurn = false;
    }
    return taken;
  }

  private List<Job<T>> takeWaiting(
      Map<Object, Integer> room, ToIntFunction<Object> atMost, long now) {
    for (Map.Entry<Job<T>, Long> entry : waiting.entrySet()) {
      Job<T> job = entry.getKey();
      if (entry.getValue() - now <= 0 && room.computeIfAbsent(job.kind(), atMost::applyAsInt) > 0) {
        waiting.remove(job);
        return List.of(job);
      }
    }
    return List.of();
  }

  private List<Job<T>> takeReady(Map<Object, Integer> room, ToIntFunction<Object> atMost) {
    kinds.keySet().forEach(kind -> room.computeIfAbsent(kind, atMost::applyAsInt));
    if (kinds.keySet().stream().allMatch(kind -> room.getOrDefault(kind, 0) == 0)) {
      return List.of(); // The usual case of a lane that is one too many.
    }
    Scan scan = new Scan(room);
    scan.over(returned);
    scan.over(arrived);
    scan.batch.forEach(
        job -> kinds.compute(job.kind(), (kind, n) -> n == null || n == 1 ? null : n - 1));
    scan.batch.sort(ReadyQueue::byOrder);
    return scan.batch;
  }

  /** Puts what was taken and not begun back to where it was. */
  void putBack(Collection<Job<T>> jobs) {
    jobs.forEach(this::letGo);
    jobs.forEach(job -> kinds.merge(job.kind(), 1, Integer::sum));
    Set<Job<T>> first = new LinkedHashSet<>(jobs);
    first.addAll(returned);
    returned = first;
  }

  /** Keeps what was taken for a later time; it stays out until it is done. */
  void keep(Job<T> job, long until) {
    identitiesOut.add(job.identity());
    if (job.order() != null) {
      ordersOut.add(job.order()); // Another one of its batch may just have let it go.
    }
    waiting.put(job, until);
  }

  /** Forgets what was taken and is done. */
  void done(Collection<Job<T>> jobs) {
    jobs.forEach(this::letGo);
  }

  /** Says whether there are jobs that no lane has, ready or not. */
  boolean hasMore() {
    return !arrived.isEmpty() || !returned.isEmpty() || !waiting.isEmpty();
  }

  /** Returns when the next job that waits for later is due. */
  OptionalLong nextDue() {
    return waiting.values().stream().mapToLong(Long::longValue).min();
  }

  /** Takes out all that no lane has. */
  List<Job<T>> clear() {
    List<Job<T>> all = new ArrayList<>(waiting.keySet());
    all.addAll(returned);
    all.addAll(arrived);
    waiting.clear();
    returned.clear();
    arrived.clear();
    kinds.clear();
    return all;
  }

  private void letGo(Job<T> job) {
    identitiesOut.remove(job.identity());
    if (job.order() != null) {
      ordersOut.remove(job.order());
    }
  }

  private static int byOrder(Job<?> left, Job<?> right) {
    @Nullable String a = left.order();
    @Nullable String b = right.order();
    if (a == null || b == null) {
      return Boolean.compare(a != null, b != null);
    }
    return a.compareTo(b);
  }

  /** One look through the jobs for a batch. */
  private final class Scan {
    private final List<Job<T>> batch = new ArrayList<>();
    private final Set<String> ordersHere = new HashSet<>();
    private final Set<String> ordersHeld = new HashSet<>();
    private final Map<Object, Integer> roomOf;
    private @Nullable Object kind;
    private int room = 1;

    Scan(Map<Object, Integer> roomOf) {
      this.roomOf = roomOf;
    }

    void over(Set<Job<T>> jobs) {
      for (Iterator<Job<T>> rest = jobs.iterator(); rest.hasNext() && batch.size() < room; ) {
        Job<T> job = rest.next();
        if (fits(job) && isInTurn(job) && identitiesOut.add(job.identity())) {
          take(job);
          rest.remove();
        } else if (job.order() != null) {
          ordersHeld.add(job.order());
        }
      }
    }

    private void take(Job<T> job) {
      if (kind == null) {
        kind = job.kind();
        room = roomOf.getOrDefault(kind, 0);
      }
      batch.add(job);
      if (job.order() != null) {
        ordersHere.add(job.order());
        ordersOut.add(job.order());
      }
    }

    private boolean isInTurn(Job<T> job) {
      String order = job.order();
      return order == null
          || (!ordersHeld.contains(order)
              && (ordersHere.contains(order) || !ordersOut.contains(order)));
    }

    private boolean fits(Job<T> job) {
      return kind == null ? roomOf.getOrDefault(job.kind(), 0) > 0 : kind.equals(job.kind());
    }
  }
}
