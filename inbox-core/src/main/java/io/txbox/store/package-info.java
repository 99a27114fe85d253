/** The tables, their rows, and what differs by database. */
@NullMarked
package io.txbox.store;

import org.jspecify.annotations.NullMarked;
