package io.txbox.benchmarks;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Says that a case has lost or doubled effects, so that its speed means nothing. */
final class WrongEffectsException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  WrongEffectsException(Object measured, String what, long expected, @Nullable Long found) {
    super("%s: %s: %,d instead of %,d".formatted(measured, what, found, expected));
  }
}
