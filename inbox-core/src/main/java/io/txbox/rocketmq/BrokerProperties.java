package io.txbox.rocketmq;

import io.txbox.janitor.ProgressUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The properties of a broker that say what it keeps and delays.
 *
 * @param broker the broker's name, for exceptions
 * @param all its properties, by the names that {@code broker.conf} has for them
 */
record BrokerProperties(String broker, Properties all) {
  /** The level of a message's first redelivery; each further one takes the next. */
  private static final int FIRST_RETRY_LEVEL = 3;

  private static final String LEVELS = "messageDelayLevel";
  private static final Pattern LEVEL = Pattern.compile("(\\d{1,9})([smhd])");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  /** Returns for how long the broker was told to keep messages. */
  Duration storage() throws ProgressUnknownException {
    return Duration.ofHours(number("fileReservedTime"));
  }

  /** Returns the sum of the delays of this many redeliveries of a message. */
  Duration retries(int redeliveries) throws ProgressUnknownException {
    List<Duration> levels = levels();
    Duration sum = Duration.ZERO;
    int level = FIRST_RETRY_LEVEL;
    int left = redeliveries;
    for (; left > 0 && level < levels.size(); level++, left--) {
      sum = sum.plus(levels.get(level - 1));
    }
    // What asks for more than the last level gets the last level.
    return sum.plus(levels.get(levels.size() - 1).multipliedBy(left));
  }

  /** Returns the longest delay that a sender can ask for. */
  Duration longestDelay() throws ProgressUnknownException {
    Duration byLevel = Collections.max(levels());
    if (!flag("timerWheelEnable")) {
      return byLevel;
    }
    Duration byTimer = Duration.ofSeconds(number("timerMaxDelaySec"));
    return byTimer.compareTo(byLevel) > 0 ? byTimer : byLevel;
  }

  private List<Duration> levels() throws ProgressUnknownException {
    List<Duration> levels = new ArrayList<>();
    for (String level : text(LEVELS).stripTrailing().split(" ", -1)) {
      Matcher matcher = LEVEL.matcher(level);
      if (!matcher.matches()) {
        throw unreadable(LEVELS);
      }
      int number = Integer.parseInt(matcher.group(1));
      levels.add(
          switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          });
    }
    return levels;
  }

  private int number(String name) throws ProgressUnknownException {
    String value = text(name);
    if (!NUMBER.matcher(value).matches()) {
      throw unreadable(name);
    }
    return Integer.parseInt(value);
  }

  private boolean flag(String name) throws ProgressUnknownException {
    return switch (text(name)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw unreadable(name);
    };
  }

  private String text(String name) throws ProgressUnknownException {
    String value = all.getProperty(name);
    if (value == null) {
      throw unreadable(name);
    }
    return value;
  }

  private ProgressUnknownException unreadable(String name) {
    return new ProgressUnknownException(
        "Broker " + broker + " has a " + name + " that cannot be read: " + all.getProperty(name));
  }
}
