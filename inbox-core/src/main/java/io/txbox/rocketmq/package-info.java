/** The consumer in front of the engine; the one package that knows the broker. */
@NullMarked
package io.txbox.rocketmq;

import org.jspecify.annotations.NullMarked;
