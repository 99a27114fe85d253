/**
 * RocketMQ brokers for tests, in the test's JVM or in one that can be killed, and a producer that
 * forges.
 */
@NullMarked
package io.txbox.testkit.broker;

import org.jspecify.annotations.NullMarked;
