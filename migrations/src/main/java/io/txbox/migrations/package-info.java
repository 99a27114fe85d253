/** Brings the tables of txbox into a database, and says exactly what is missing there. */
@NullMarked
package io.txbox.migrations;

import org.jspecify.annotations.NullMarked;
