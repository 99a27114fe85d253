/** What differs on MySQL, and on MariaDB as its variant. */
@NullMarked
package io.txbox.mysql;

import org.jspecify.annotations.NullMarked;
