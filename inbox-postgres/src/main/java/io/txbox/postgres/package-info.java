/** What differs on PostgreSQL. */
@NullMarked
package io.txbox.postgres;

import org.jspecify.annotations.NullMarked;
