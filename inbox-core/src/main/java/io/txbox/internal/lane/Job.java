package io.txbox.internal.lane;

import org.jspecify.annotations.Nullable;

/**
 * A piece of work for the lanes.
 *
 * @param payload what is to be done
 * @param kind jobs of one kind may share a batch; their speed and trouble are watched together
 * @param identity no two jobs with the same identity are worked on at a time
 * @param order jobs with the same order are worked on one after the other, as they arrived, by one
 *     lane at a time; null for those that may run in any order
 */
public record Job<T>(T payload, Object kind, Object identity, @Nullable String order) {}
