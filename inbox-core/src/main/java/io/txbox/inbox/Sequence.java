package io.txbox.inbox;

/**
 * Messages that must be handled one after the other: once one has failed, those after it must not
 * run before it has come through. Used by one thread at a time.
 */
final class Sequence {
  private final String order;
  private int brokenAt = Integer.MAX_VALUE;

  Sequence(String order) {
    this.order = order;
  }

  /** What tells sequences apart: two with the same order follow each other. */
  String order() {
    return order;
  }

  /** Holds back all messages behind a position. */
  void breakOff(int position) {
    brokenAt = Math.min(brokenAt, position);
  }

  boolean holdsBack(int position) {
    return position > brokenAt;
  }

  /**
   * A place in a sequence.
   *
   * @param position counts from 0
   */
  record Place(Sequence sequence, int position) {
    /** Holds back all messages behind this one. */
    void breakOff() {
      sequence.breakOff(position);
    }
  }
}
