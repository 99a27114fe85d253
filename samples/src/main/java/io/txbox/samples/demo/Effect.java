package io.txbox.samples.demo;

/**
 * What one business message does: it changes one number. No two of them do the same to the same
 * subject, so that an effect tells its message.
 *
 * @param subject an account (cents), an order (1 if it is paid), an article (pieces)
 */
record Effect(String subject, long change) {}
