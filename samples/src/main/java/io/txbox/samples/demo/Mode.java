package io.txbox.samples.demo;

import java.util.Arrays;

/** How messages are consumed. */
enum Mode {
  TXBOX("txbox", "an InboxConsumer of txbox"),
  MESSAGE_ID(
      "message-id",
      "a plain listener that notes each message id, in a transaction before the handler's"),
  NONE("none", "a plain listener that commits, acknowledges, and looks for no copies");

  private final String option;
  private final String description;

  Mode(String option, String description) {
    this.option = option;
    this.description = description;
  }

  /** Returns the naive way of this name. */
  static Mode naive(String option) {
    return Arrays.stream(values())
        .filter(mode -> mode.isNaive() && mode.option.equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "must be 'message-id' or 'none', but was '" + option + "'"));
  }

  boolean isNaive() {
    return this != TXBOX;
  }

  /** Returns what an instance is. */
  String description() {
    return description;
  }

  /** Returns the headline of a run. */
  String title() {
    return isNaive() ? "Without txbox (--naive=" + option + ")" : "With txbox";
  }
}
