/** Payments that arrive by RocketMQ and are credited to accounts in PostgreSQL. */
@NullMarked
package io.txbox.samples.payment;

import org.jspecify.annotations.NullMarked;
