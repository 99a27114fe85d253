package io.txbox.internal;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes durations as configurations have them: {@code 7d}, {@code 1d12h}. */
public final class DurationText {
  private static final Pattern TEXT =
      Pattern.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?");
  private static final int[] SECONDS = {86_400, 3_600, 60, 1};
  private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);

  private DurationText() {}

  /**
   * Reads numbers with the units d, h, m and s. What is longer than any duration is the longest.
   *
   * @throws IllegalArgumentException if it is anything else, with the setting's name
   */
  public static Duration parse(String name, String text) {
    Matcher matcher = TEXT.matcher(Objects.requireNonNull(text, name));
    if (text.isEmpty() || !matcher.matches()) {
      throw new IllegalArgumentException(
          name
              + " must be numbers with the units d, h, m and s, such as '7d' or '1d12h', but was '"
              + text
              + "'");
    }
    BigInteger seconds = BigInteger.ZERO;
    for (int unit = 0; unit < SECONDS.length; unit++) {
      String number = matcher.group(unit + 1);
      if (number != null) {
        seconds = seconds.add(new BigInteger(number).multiply(BigInteger.valueOf(SECONDS[unit])));
      }
    }
    return Duration.ofSeconds(seconds.min(LONGEST).longValueExact());
  }

  /** Writes it such that it can be read again, but for what is shorter than a second. */
  public static String of(Duration duration) {
    if (duration.isNegative()) {
      return "-" + of(duration.negated());
    }
    StringBuilder text = new StringBuilder();
    add(duration.toDaysPart(), "d", text);
    add(duration.toHoursPart(), "h", text);
    add(duration.toMinutesPart(), "m", text);
    add(duration.toSecondsPart(), "s", text);
    add(duration.toMillisPart(), "ms", text);
    return text.isEmpty() ? "0s" : text.toString();
  }

  private static void add(long number, String unit, StringBuilder text) {
    if (number != 0) {
      text.append(number).append(unit);
    }
  }
}
