/** The command line. */
@NullMarked
package io.txbox.cli;

import org.jspecify.annotations.NullMarked;
