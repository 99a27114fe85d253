package io.txbox.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * An arm at a cost: what is measured once in each round.
 *
 * @param arm how messages are consumed
 * @param cost what their handler does; nothing runs for duplicates
 */
record Case(Arm arm, Cost cost) {
  /**
   * Combines arms and costs, as far as that tells something.
   *
   * @throws IllegalArgumentException if nothing is left
   */
  static List<Case> all(List<Arm> arms, List<Cost> costs) {
    List<Case> cases = new ArrayList<>();
    for (Cost cost : costs) {
      for (Arm arm : arms) {
        boolean anyCost = arm == Arm.DUPLICATES;
        if (anyCost ? cost.equals(costs.get(0)) : arm.knows(cost)) {
          cases.add(new Case(arm, anyCost ? Cost.NOTHING : cost));
        }
      }
    }
    if (cases.isEmpty()) {
      throw new IllegalArgumentException(
          "these arms are not measured at this cost: plain-narrow is at 5ms, inbox-batch at all"
              + " others but uncontended, where there is inbox alone");
    }
    return List.copyOf(cases);
  }

  /** Returns the cases in another order in each round, so that none always follows the same one. */
  static List<Case> inOrderOf(int round, List<Case> cases) {
    List<Case> order = new ArrayList<>(cases);
    if (round % 2 == 1) {
      Collections.reverse(order);
    }
    Collections.rotate(order, round);
    return order;
  }

  @Override
  public String toString() {
    return arm == Arm.DUPLICATES ? arm.label() : arm.label() + " at cost " + cost.label();
  }
}
