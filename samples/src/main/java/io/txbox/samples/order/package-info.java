/** Orders, whose state follows what the payment provider tells by RocketMQ. */
@NullMarked
package io.txbox.samples.order;

import org.jspecify.annotations.NullMarked;
