/** The vocabulary: messages, dedup keys, handlers and exceptions. */
@NullMarked
package io.txbox;

import org.jspecify.annotations.NullMarked;
