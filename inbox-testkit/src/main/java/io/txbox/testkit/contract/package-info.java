/** What every database module must pass: abstract tests, run by a short subclass per database. */
@NullMarked
package io.txbox.testkit.contract;

import org.jspecify.annotations.NullMarked;
