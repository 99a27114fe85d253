package io.txbox.migrations;

import java.time.Duration;

/**
 * The process that holds the changelog lock.
 *
 * @param name host and process, as it gave them
 * @param age how long it has held the lock, by the database's clock
 */
public record LockHolder(String name, Duration age) {}
