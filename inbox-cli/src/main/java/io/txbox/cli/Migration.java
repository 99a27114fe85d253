package io.txbox.cli;

import org.jspecify.annotations.Nullable;

/** Says which command brings the tables of txbox into a schema. */
final class Migration {
  private Migration() {}

  /** Returns a sentence with a command line that is quoted for a shell. */
  static String of(String url, @Nullable String schema) {
    String version = Migration.class.getPackage().getImplementationVersion();
    return "As the owner of the schema, run: java -jar inbox-migrations-"
        + (version == null ? "VERSION" : version)
        + "-cli.jar migrate --url "
        + quoted(Address.withoutSecrets(url))
        + " --user <owner>"
        + (schema == null ? "" : " --schema " + quoted(schema));
  }

  private static String quoted(String argument) {
    return argument.matches("[\\w./:@=,+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
