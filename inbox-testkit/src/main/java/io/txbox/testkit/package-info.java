/** Support for tests on real parts: leak checks, and a rule for what is missing. */
@NullMarked
package io.txbox.testkit;

import org.jspecify.annotations.NullMarked;
