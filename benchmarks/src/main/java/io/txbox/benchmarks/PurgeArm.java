package io.txbox.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What runs at a time, while an inbox is purged. */
enum PurgeArm {
  CONSUMPTION("consumption alone"),
  BOTH("consumption and purge"),
  PURGE("purge alone");

  private final String label;

  PurgeArm(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  boolean consumes() {
    return this != PURGE;
  }

  boolean purges() {
    return this != CONSUMPTION;
  }

  /** Returns all, in another order in each round. */
  static List<PurgeArm> inOrderOf(int round) {
    List<PurgeArm> order = new ArrayList<>(Arrays.asList(values()));
    Collections.rotate(order, -round);
    return order;
  }

  @Override
  public String toString() {
    return label;
  }
}
