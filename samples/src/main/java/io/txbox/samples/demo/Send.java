package io.txbox.samples.demo;

/**
 * Something that the sender sends: always a new {@code Message} object, with a new message id.
 *
 * @param body as it is written this time
 * @param twice whether the client sends it again by itself, under the same message id
 */
record Send(Business business, String body, boolean twice) {}
