package io.txbox.migrations;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command line, in the jar of this module with the classifier {@code cli}: {@code java -jar
 * inbox-migrations-<version>-cli.jar --help}. With a driver that is not in the jar: {@code java -cp
 * inbox-migrations-<version>-cli.jar:driver.jar io.txbox.migrations.Cli}.
 *
 * <p>Exit codes: 0 done, 1 the database says no, 2 the command line was wrong, 3 the schema does
 * not fit this version, 4 another migration holds the changelog lock.
 */
@Command(
    name = "inbox-migrations",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    version = "inbox-migrations, schema version " + Inspection.KNOWN_VERSION,
    description =
        "Brings the tables of txbox into a PostgreSQL, MySQL or MariaDB database, and checks them.",
    subcommands = HelpCommand.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Exit codes: 0 done, 1 the database says no, 2 the command line was wrong,",
      "3 the schema does not fit this version, 4 another migration holds the changelog lock.",
      "The drivers of PostgreSQL, MySQL and MariaDB are in the jar; with another one:",
      "  java -cp <this jar>:driver.jar io.txbox.migrations.Cli COMMAND"
    })
public final class Cli {

  private static final int DOES_NOT_FIT = 3;
  private static final int LOCKED = 4;

  @Spec private CommandSpec spec;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "On an error, print where it came from.")
  private boolean stacktrace;

  // Filled by picocli.
  @SuppressWarnings("NullAway.Init")
  private Cli() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String... arguments) {
    // Before the first logger: what is below a warning is the exception's, or of no interest here.
    if (System.getProperty("org.slf4j.simpleLogger.defaultLogLevel") == null) {
      System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    }
    System.exit(
        run(
            new PrintWriter(System.out, true, UTF_8),
            new PrintWriter(System.err, true, UTF_8),
            arguments));
  }

  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    Cli cli = new Cli();
    CommandLine commandLine =
        new CommandLine(cli).setOut(out).setErr(err).setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler((refused, line) -> refuse(refused));
    commandLine.setExecutionExceptionHandler(
        (thrown, command, parsed) -> {
          if (thrown instanceof IllegalArgumentException) {
            return command
                .getParameterExceptionHandler()
                .handleParseException(
                    new CommandLine.ParameterException(command, thrown.getMessage(), thrown),
                    arguments);
          }
          err.println(thrown.getMessage());
          if (cli.stacktrace) {
            thrown.printStackTrace(err);
          }
          return exitCode(thrown);
        });
    return commandLine.execute(arguments);
  }

  /** Says what is wrong with the command line, and where its help is. */
  private static int refuse(CommandLine.ParameterException refused) {
    CommandLine command = refused.getCommandLine();
    List<String> unknown = command.getUnmatchedArguments();
    CommandLine.ParameterException named =
        refused instanceof CommandLine.MissingParameterException && !unknown.isEmpty()
            ? new CommandLine.UnmatchedArgumentException(command, unknown)
            : refused;
    PrintWriter err = command.getErr();
    err.println(named.getMessage());
    CommandLine.UnmatchedArgumentException.printSuggestions(named, err);
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help");
    return CommandLine.ExitCode.USAGE;
  }

  private static int exitCode(Exception thrown) {
    if (thrown instanceof SchemaMismatchException) {
      return DOES_NOT_FIT;
    }
    return thrown instanceof ChangelogLockedException ? LOCKED : CommandLine.ExitCode.SOFTWARE;
  }

  @Command(name = "migrate", description = "Creates the tables, or brings them to this version.")
  int migrate(
      @Mixin Target target,
      @Option(
              names = "--lock-wait",
              paramLabel = "SECONDS",
              defaultValue = "60",
              description = "How long to wait for another migration (default: ${DEFAULT-VALUE}).")
          long lockWait) {
    if (lockWait < 0) {
      throw new IllegalArgumentException("--lock-wait must be at least 0, but was " + lockWait);
    }
    target.migrations().lockWait(Duration.ofSeconds(lockWait)).build().migrate();
    out("The schema has version %d.".formatted(Inspection.KNOWN_VERSION));
    return 0;
  }

  @Command(
      name = "verify",
      description = "Says exactly what is missing or differs. Needs no rights but to read.")
  int verify(@Mixin Target target) {
    target.migrations().build().verify();
    out("The schema fits.");
    return 0;
  }

  @Command(
      name = "status",
      description = {
        "Shows version, differences, and who holds the lock.",
        "Exit code 3 if the schema does not fit, whoever holds the lock."
      })
  int status(@Mixin Target target) {
    SchemaStatus status = target.migrations().build().status();
    out("database: " + status.database());
    out("schema:   " + status.schema());
    out(
        "version:  %s (this tool brings %d)"
            .formatted(status.version() == 0 ? "none" : status.version(), status.knownVersion()));
    out("lock:     " + status.lock().map(Cli::held).orElse("free"));
    out("fits:     " + (status.differences().isEmpty() ? "yes" : "no"));
    status.differences().forEach(difference -> out("  - " + difference));
    return status.differences().isEmpty() ? CommandLine.ExitCode.OK : DOES_NOT_FIT;
  }

  @Command(name = "sql", description = "Prints the tables of this version as plain SQL.")
  int sql(
      @Option(
              names = "--database",
              required = true,
              description = "One of: postgresql, mysql, mariadb.")
          Vendor database) {
    spec.commandLine().getOut().print(Release.CURRENT.plainSql(database));
    spec.commandLine().getOut().flush();
    return 0;
  }

  @Command(
      name = "release-lock",
      description = "Frees the lock of a migration that was killed. Make sure that it is dead.")
  int releaseLock(@Mixin Target target) {
    target
        .migrations()
        .build()
        .releaseLock()
        .ifPresentOrElse(
            holder -> out("Freed: it was " + held(holder)), () -> out("The lock was free."));
    return 0;
  }

  @Command(
      name = "rollback",
      description =
          "DROPS all tables of txbox with all rows: every message counts as new afterwards.")
  int rollback(
      @Mixin Target target, @Option(names = "--yes", description = "Really do it.") boolean yes) {
    if (!yes) {
      throw new CommandLine.ParameterException(
          spec.subcommands().get("rollback"),
          "rollback drops all tables of txbox with all rows in them. If that is meant: rollback --yes");
    }
    target.migrations().build().rollback();
    out("All tables of txbox are dropped.");
    return 0;
  }

  private static String held(LockHolder holder) {
    return "held by %s for %d s".formatted(holder.name(), holder.age().toSeconds());
  }

  private void out(String line) {
    spec.commandLine().getOut().println(line);
  }

  /** Which schema of which database, and as whom. */
  static final class Target {

    private static final String PASSWORD_VARIABLE = "TXBOX_DB_PASSWORD";

    @Option(
        names = "--url",
        required = true,
        paramLabel = "JDBC-URL",
        description = {
          "jdbc:postgresql://HOST:PORT/DATABASE,",
          "jdbc:mysql://HOST:PORT/DATABASE or",
          "jdbc:mariadb://HOST:PORT/DATABASE."
        })
    private String url;

    @Option(names = "--user", description = "The database role.")
    private @Nullable String user;

    @Option(
        names = "--password",
        interactive = true,
        arity = "0..1",
        prompt = "Password of the database role: ",
        description = {
          "Its password; without a value it is asked for.",
          "Better than on the command line: the environment variable " + PASSWORD_VARIABLE + "."
        })
    private @Nullable String password;

    @Option(
        names = "--schema",
        description = "PostgreSQL schema or MySQL database (default: the connection's).")
    private @Nullable String schema;

    @SuppressWarnings("NullAway.Init")
    private Target() {}

    Migrations.Builder migrations() {
      String secret = password != null ? password : System.getenv(PASSWORD_VARIABLE);
      Migrations.Builder builder = Migrations.builder(new DriverDataSource(url, user, secret));
      return schema == null ? builder : builder.schema(schema);
    }
  }
}
