/** What differs on MySQL and MariaDB. */
@NullMarked
package io.txbox.mysql;

import org.jspecify.annotations.NullMarked;
