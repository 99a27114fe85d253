package io.txbox;

/** Checks of settings, each of which throws with the setting's name and value. */
final class Require {
  private Require() {}

  static String text(String name, String value) {
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(name + " must not be blank, but was " + quoted(value));
    }
    return value;
  }

  static int atLeast(String name, int least, int value) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + " must be at least " + least + ", but was " + value);
    }
    return value;
  }

  private static String quoted(String value) {
    return value == null ? "null" : "'" + value + "'";
  }
}
