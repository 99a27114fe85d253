package io.txbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The command line: {@code java -jar inbox-cli-<version>-cli.jar --help}.
 *
 * <p>Exit codes: 0 done; 1 it failed, was told to end, another janitor kept the lease, or the purge
 * clock stands still; 2 the command line was wrong.
 */
@Command(
    name = "inbox-cli",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Cli.Version.class,
    description = "Looks after the inbox of txbox in a PostgreSQL, MySQL or MariaDB database.",
    subcommands = {PurgeCommand.class, HelpCommand.class},
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Exit codes: 0 done; 1 it failed, was told to end, another janitor kept the",
      "lease, or the purge clock stands still; 2 the command line was wrong."
    })
public final class Cli {
  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "On an error, print where it came from.")
  private boolean stacktrace;

  private Cli() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String... arguments) {
    System.exit(
        run(
            new PrintWriter(System.out, true, UTF_8),
            new PrintWriter(System.err, true, UTF_8),
            arguments));
  }

  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    Cli cli = new Cli();
    CommandLine commandLine = new CommandLine(cli).setOut(out).setErr(err);
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
          return CommandLine.ExitCode.SOFTWARE;
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

  /** Says which version of the library this is. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Cli.class.getPackage().getImplementationVersion();
      return new String[] {"inbox-cli " + (version == null ? "(not from its jar)" : version)};
    }
  }
}
