/** The purge clock: when an inbox row may go, by how far its consumer group has consumed. */
@NullMarked
package io.txbox.janitor;

import org.jspecify.annotations.NullMarked;
