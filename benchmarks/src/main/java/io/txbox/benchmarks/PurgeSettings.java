package io.txbox.benchmarks;

/**
 * How large an inbox is, and how much of it goes.
 *
 * @param rows how many are there
 * @param purged how many of them may go
 * @param keyLength how many characters their dedup keys have
 */
record PurgeSettings(long rows, long purged, int keyLength) {}
