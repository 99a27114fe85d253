package io.txbox.testkit.broker;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a test may want to differ about a broker: properties of RocketMQ's {@code BrokerConfig},
 * {@code MessageStoreConfig} and {@code NettyServerConfig}, by the names that {@code broker.conf}
 * has for them.
 *
 * <p>Immutable. Defaults that differ from RocketMQ's: every delay level is a second, so that
 * redelivery comes quickly; topics are not created by being sent to, so that a wrong name fails;
 * sends are not refused because the machine is slow ({@code brokerFastFailureEnable=false}); the
 * timer wheel, which exact delay times need, is off ({@code timerWheelEnable}).
 */
public final class BrokerSettings {

  private static final String SECONDS_ONLY = "1s".concat(" 1s".repeat(17));

  private static final BrokerSettings DEFAULTS = new BrokerSettings(defaultProperties());

  private final Map<String, String> properties;

  private BrokerSettings(Map<String, String> properties) {
    this.properties = Collections.unmodifiableMap(properties);
  }

  /** Returns the settings that the shared broker runs with. */
  public static BrokerSettings defaults() {
    return DEFAULTS;
  }

  /**
   * Returns settings with other delay levels, separated by blanks: {@code "1s 5s 10s"}. The first
   * redelivery of a message uses level 3, each further one the next.
   */
  public BrokerSettings messageDelayLevel(String levels) {
    return property("messageDelayLevel", levels);
  }

  /** Returns settings in which the named property has this value. */
  public BrokerSettings property(String name, String value) {
    Map<String, String> changed = new LinkedHashMap<>(properties);
    changed.put(name, value);
    return new BrokerSettings(changed);
  }

  Map<String, String> properties() {
    return properties;
  }

  private static Map<String, String> defaultProperties() {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put("messageDelayLevel", SECONDS_ONLY);
    defaults.put("autoCreateTopicEnable", "false");
    defaults.put("brokerFastFailureEnable", "false");
    defaults.put("osPageCacheBusyTimeOutMills", "10000");
    defaults.put("timerWheelEnable", "false");
    // A developer's disk may be nearly full; the broker would refuse to write and drop files.
    defaults.put("diskMaxUsedSpaceRatio", "95");
    defaults.put("diskSpaceCleanForciblyRatio", "98");
    defaults.put("diskSpaceWarningLevelRatio", "99");
    // Mapped files of a test's size: RocketMQ's own take gigabytes of address space.
    defaults.put("mappedFileSizeCommitLog", String.valueOf(64 * 1024 * 1024));
    defaults.put("mappedFileSizeConsumeQueue", String.valueOf(20 * 10_000));
    defaults.put("maxHashSlotNum", "10000");
    defaults.put("maxIndexNum", "40000");
    return defaults;
  }
}
