/** Loopback ports, and a proxy that breaks connections on demand. */
@NullMarked
package io.txbox.testkit.network;

import org.jspecify.annotations.NullMarked;
