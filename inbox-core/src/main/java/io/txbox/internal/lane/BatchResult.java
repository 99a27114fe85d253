package io.txbox.internal.lane;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What became of a batch.
 *
 * @param again what was not begun, or was undone through no fault of its own; goes back to where it
 *     was
 * @param later what could not be done now and waits; nothing else waits for it
 * @param ran how many jobs ran
 * @param elapsed how long these took, without what the batch as a whole cost
 * @param trouble whether something failed, so that the next batch had better be smaller
 * @param outage what shows that nothing can be done at present, if that is so
 */
public record BatchResult<T>(
    Set<T> again,
    Set<T> later,
    int ran,
    Duration elapsed,
    boolean trouble,
    Optional<Throwable> outage) {}
