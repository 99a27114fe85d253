/**
 * Measures, end to end from a broker to a durable database, what an inbox costs and what lanes
 * gain: {@code ./bench}.
 */
@NullMarked
package io.txbox.benchmarks;

import org.jspecify.annotations.NullMarked;
