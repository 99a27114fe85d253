/** What several packages share and no user names. */
@NullMarked
package io.txbox.internal;

import org.jspecify.annotations.NullMarked;
