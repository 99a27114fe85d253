package io.txbox.janitor;

/**
 * Says what becomes of a message that has no inbox row, but is so old that it may be a copy of one
 * whose row was purged.
 */
public enum LatePolicy {
  /** It is parked, with its payload, for somebody to decide; its handler does not run. */
  PARK,
  /** It is handled as a new one: if it is a copy, its effects are there twice. */
  PROCESS,
  /** It is dropped, and counted: if it is no copy, its effects are missing. */
  DISCARD
}
