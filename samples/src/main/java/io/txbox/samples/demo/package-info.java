/**
 * The program behind {@code ./demo}: sends as the world sends, breaks what breaks in the world, and
 * holds the sender's ledger against the database.
 */
@NullMarked
package io.txbox.samples.demo;

import org.jspecify.annotations.NullMarked;
