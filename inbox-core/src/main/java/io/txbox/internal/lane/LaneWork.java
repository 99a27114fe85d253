package io.txbox.internal.lane;

import java.time.Duration;
import java.util.List;

/**
 * What lanes work on. Called by the lanes' threads, outside of their lock.
 *
 * @param <T> what a job is about
 */
public interface LaneWork<T> {
  /** Works on a batch, all of one kind, and throws nothing. */
  BatchResult<T> run(List<T> batch);

  /** Says whether anything can be done again, after a batch has shown that nothing can. */
  boolean isPossible();

  /** Is told that nothing can be done, so that the lanes rest. */
  void paused(Throwable cause);

  /** Is told that the lanes go on, and for how long they have rested. */
  void resumed(Duration after);

  /** Is told of a job that no lane will take any more. */
  void abandon(T payload);
}
