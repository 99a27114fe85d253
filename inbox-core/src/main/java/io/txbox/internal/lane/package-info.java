/** Worker threads that take messages and run them through an inbox. */
@NullMarked
package io.txbox.internal.lane;

import org.jspecify.annotations.NullMarked;
