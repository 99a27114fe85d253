package io.txbox.testkit;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Decides about tests that cannot run because something is missing: they fail, unless the command
 * line excuses the missing thing by name, {@code -Dtxbox.excused=docker,mysql}. So a test that
 * never runs cannot pass for one that does.
 */
public final class Excuse {

  static final String PROPERTY = "txbox.excused";

  private Excuse() {}

  /** Ends the test, as {@link #orFail(String, String, Throwable)} does. */
  public static AssertionError orFail(String missing, String reason) {
    return orFail(missing, reason, null);
  }

  /**
   * Ends the test: aborts it if the missing thing is excused, fails it if not.
   *
   * @param missing the name to excuse it by
   * @param reason how it shows that it is missing
   * @return never; callers write {@code throw Excuse.orFail(…)}, so that the compiler knows
   */
  public static AssertionError orFail(String missing, String reason, @Nullable Throwable cause) {
    if (isExcused(missing)) {
      return Assumptions.abort(missing + " is missing, and excused: " + reason);
    }
    return Assertions.fail(
        "%s is missing: %s. To let such tests be skipped, say -D%s=%s"
            .formatted(missing, reason, PROPERTY, missing),
        cause);
  }

  private static boolean isExcused(String missing) {
    return Arrays.stream(System.getProperty(PROPERTY, "").split(","))
        .map(String::trim)
        .anyMatch(missing::equals);
  }
}
