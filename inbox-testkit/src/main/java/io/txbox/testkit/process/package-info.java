/** JVMs of their own, to be killed. */
@NullMarked
package io.txbox.testkit.process;

import org.jspecify.annotations.NullMarked;
