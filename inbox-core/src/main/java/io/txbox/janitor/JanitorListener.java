package io.txbox.janitor;

/**
 * Is told what a janitor does. It is called on the janitor's thread; what it throws is logged and
 * changes nothing.
 */
@FunctionalInterface
public interface JanitorListener {
  /** Is told of an event. */
  void on(JanitorEvent event);
}
