/** The engine: runs a handler once per dedup key. It knows no broker. */
@NullMarked
package io.txbox.inbox;

import org.jspecify.annotations.NullMarked;
