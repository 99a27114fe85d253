/** Databases for tests: a fresh one for each test class, behind a connection pool. */
@NullMarked
package io.txbox.testkit.database;

import org.jspecify.annotations.NullMarked;
