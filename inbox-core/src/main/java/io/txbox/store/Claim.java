package io.txbox.store;

import java.util.Set;

/** What a claim found out. */
public sealed interface Claim {
  /**
   * Says which of the rows were inserted by this claim; all others were there already, committed.
   *
   * @param claimed the dedup keys that are new
   */
  record Decided(Set<String> claimed) implements Claim {}

  /**
   * Says that this transaction is not fit to decide, for example since it runs at an isolation
   * level at which a claim can see too little. It must be rolled back and begun again; the dialect
   * begins the next one differently.
   *
   * @param reason what was found, for the log
   */
  record Again(String reason) implements Claim {}
}
