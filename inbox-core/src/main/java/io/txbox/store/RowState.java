package io.txbox.store;

/** Says what became of a message. The committed row is the state: there is none for "running". */
public enum RowState {
  /** Its handler ran and committed. */
  PROCESSED((short) 0),
  /** It was set aside, with its payload, for somebody to look at. */
  PARKED((short) 1),
  /** It was dropped by a policy or by an operator. */
  DISCARDED((short) 2);

  private final short code;

  RowState(short code) {
    this.code = code;
  }

  /** Returns the number in the database. */
  public short code() {
    return code;
  }
}
