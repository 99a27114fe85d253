/** The transaction as a handler may use it: it can be neither ended nor kept. */
@NullMarked
package io.txbox.internal.guard;

import org.jspecify.annotations.NullMarked;
