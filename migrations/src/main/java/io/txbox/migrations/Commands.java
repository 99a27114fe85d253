package io.txbox.migrations;

import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The command lines that our messages tell an operator to type, quoted for a shell. Started from
 * the command line's jar they name it as it was named there, else as it is named in a repository.
 */
final class Commands {

  private static final String JAR = "inbox-migrations";

  private Commands() {}

  /** By the owner of the tables, who need not be the one that has been looking. */
  static String migrate(Session session) throws SQLException {
    return "%s migrate --url %s --user <owner> --schema %s"
        .formatted(tool(), quoted(session.url()), quoted(session.schema()));
  }

  static String releaseLock(Session session) throws SQLException {
    return "%s release-lock --url %s --user %s --schema %s"
        .formatted(tool(), quoted(session.url()), quoted(session.user()), quoted(session.schema()));
  }

  static String sql(Vendor vendor) {
    return "%s sql --database %s".formatted(tool(), vendor.files());
  }

  /** The command line with further jars on its class path. */
  static String withDriver() {
    return "java -cp %s:driver.jar %s".formatted(jar(), Cli.class.getName());
  }

  /** A name as Java code has it. */
  static String javaLiteral(String name) {
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String tool() {
    String command = System.getProperty("sun.java.command", "");
    if (command.startsWith(Cli.class.getName())) {
      return "java -cp %s %s"
          .formatted(quoted(System.getProperty("java.class.path")), Cli.class.getName());
    }
    return "java -jar " + quoted(jar());
  }

  private static String jar() {
    String classPath = System.getProperty("java.class.path", "");
    int end = classPath.indexOf(File.pathSeparatorChar);
    Path started = Path.of(end < 0 ? classPath : classPath.substring(0, end));
    boolean isOurs =
        String.valueOf(started.getFileName()).startsWith(JAR)
            && ownPlace().filter(started.toAbsolutePath().normalize()::equals).isPresent();
    return isOurs ? started.toString() : nameInRepository();
  }

  private static String nameInRepository() {
    String version = Commands.class.getPackage().getImplementationVersion();
    return "%s-%s-cli.jar".formatted(JAR, version == null ? "VERSION" : version);
  }

  private static Optional<Path> ownPlace() {
    CodeSource source = Commands.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return Optional.empty();
    }
    try {
      URI place = source.getLocation().toURI();
      return "file".equals(place.getScheme()) ? Optional.of(Path.of(place)) : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static String quoted(String argument) {
    return argument.matches("[\\w./:@=,+-]+")
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }
}
