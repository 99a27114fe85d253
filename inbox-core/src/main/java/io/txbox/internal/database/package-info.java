/** Where txbox's tables are, how its own statements reach them, and whether they are fit. */
@NullMarked
package io.txbox.internal.database;

import org.jspecify.annotations.NullMarked;
