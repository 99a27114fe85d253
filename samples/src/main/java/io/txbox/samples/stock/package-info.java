/** A stock of articles, from which orders take. */
@NullMarked
package io.txbox.samples.stock;

import org.jspecify.annotations.NullMarked;
