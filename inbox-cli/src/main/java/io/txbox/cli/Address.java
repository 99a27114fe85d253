package io.txbox.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shows the address of a database without what may be secret in it. */
final class Address {
  private static final String HIDDEN = "…";
  private static final String HOST = "(?:[\\w.-]+|\\[[\\w:.%]+])(?::\\d+)?";

  private static final Pattern SCHEME = Pattern.compile("^(?:jdbc:)?[A-Za-z][\\w+.-]*:");
  private static final Pattern WITH_HOSTS =
      Pattern.compile("^(?<scheme>jdbc:(?:[\\w+.-]+:)+)//(?<rest>.*)$", Pattern.DOTALL);
  private static final Pattern HOSTS =
      Pattern.compile("(?:" + HOST + "(?:," + HOST + ")*)?(?:/[^/]*)?");
  private static final Pattern DATABASE = Pattern.compile("jdbc:postgresql:[^@:/]*");
  private static final Pattern PARAMETERS = Pattern.compile("[?;].*|&\\w+=.*", Pattern.DOTALL);

  private Address() {}

  /**
   * Returns the driver's scheme, the hosts and the database. What is not known to be one of them
   * may be a role and its password.
   */
  static String withoutSecrets(String url) {
    String address = PARAMETERS.matcher(url).replaceFirst("");
    Matcher withHosts = WITH_HOSTS.matcher(address);
    if (withHosts.matches()) {
      return withHosts.group("scheme")
          + shown(withHosts.group("rest"), url.substring(address.length()));
    }
    if (DATABASE.matcher(address).matches()) {
      return address;
    }
    Matcher scheme = SCHEME.matcher(address);
    String shown = scheme.find() ? scheme.group() : "";
    return shown.equals(url) ? shown : shown + HIDDEN;
  }

  private static String shown(String rest, String parameters) {
    int role = rest.lastIndexOf('@');
    String hosts = rest.substring(role + 1);
    boolean isPassword = role < 0 && !rest.contains("/") && parameters.contains("@");
    return isPassword || !HOSTS.matcher(hosts).matches()
        ? HIDDEN
        : "//" + (role < 0 ? "" : "***@") + hosts;
  }

  /** Takes what may be secret out of what a driver says of an address. */
  static String withoutSecrets(String url, String said) {
    return said.replace(url, withoutSecrets(url))
        .replaceAll("(?i)(password\\s*=\\s*)[^&;,)'\"\\s]+", "$1***")
        .replaceAll("//[^/@\\s]*@", "//***@");
  }
}
