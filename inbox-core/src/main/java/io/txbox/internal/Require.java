package io.txbox.internal;

import java.time.Duration;
import java.util.Objects;

/** Checks settings; each check throws with the setting's name and value. */
public final class Require {
  private Require() {}

  /** Returns a text that is not blank. */
  public static String text(String name, String value) {
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(
          name + " must not be blank, but was " + (value == null ? null : "'" + value + "'"));
    }
    return value;
  }

  /** Returns a number that is at least {@code least}. */
  public static int atLeast(String name, int least, int value) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " must be at least " + least + ", but was " + value);
    }
    return value;
  }

  /** Returns a number that is at least {@code least} and at most {@code most}. */
  public static int between(String name, int least, int most, int value) {
    if (atLeast(name, least, value) > most) {
      throw new IllegalArgumentException(name + " must be at most " + most + ", but was " + value);
    }
    return value;
  }

  /** Returns a duration that is at least {@code least} and at most {@code most}. */
  public static Duration between(String name, Duration least, Duration most, Duration value) {
    if (atLeast(name, least, value).compareTo(most) > 0) {
      throw outOf(name, "at most " + DurationText.of(most), value);
    }
    return value;
  }

  /** Returns a duration that is at least {@code least}. */
  public static Duration atLeast(String name, Duration least, Duration value) {
    if (Objects.requireNonNull(value, name).compareTo(least) < 0) {
      throw outOf(name, "at least " + DurationText.of(least), value);
    }
    return value;
  }

  private static IllegalArgumentException outOf(String name, String bound, Duration value) {
    return new IllegalArgumentException(
        name + " must be " + bound + ", but was " + DurationText.of(value));
  }
}
