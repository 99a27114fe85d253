package io.txbox.samples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.LoggerContext;
import io.txbox.testkit.database.MissingServerException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of {@code ./demo}.
 *
 * <p>Exit codes: 0 each effect is exactly once, and all faults hit; 1 not so; 2 the command line
 * was wrong.
 */
@Command(
    name = "./demo",
    description = {
      "Sends payments, order events and stock withdrawals by RocketMQ, each business id one to three"
          + " times, to a service on PostgreSQL, MySQL or MariaDB; kills instances of the service"
          + " and the broker meanwhile, lets instances join and leave, rewinds the offsets; and then holds the"
          + " sender's own ledger against the database.",
      "",
      "All of it runs on this machine, on loopback, for a minute or two, and leaves nothing behind."
          + " The first run builds before that, which takes some minutes more. Ctrl-C ends it at any"
          + " time.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 each effect is there exactly once, and all faults hit; 1 it is not so; 2 the"
          + " command line was wrong."
    })
public final class Demo implements Callable<Integer> {
  static final String LOGBACK = "io/txbox/samples/demo/logback.xml";

  private static final int FEWEST = 30;
  private static final int MOST = 2_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--naive",
      arity = "0..1",
      paramLabel = "message-id|none",
      fallbackValue = "message-id",
      description = {
        "Run a plain listener instead of txbox, and see what goes wrong. message-id: it notes each"
            + " message id in a transaction of its own, and skips what it has noted (default).",
        "none: it looks for no copies."
      })
  private @Nullable String naive;

  @Option(
      names = "--database",
      paramLabel = "postgres|mysql|mariadb",
      defaultValue = "postgres",
      description = {
        "Which database (default: ${DEFAULT-VALUE}). PostgreSQL and MariaDB are started here. MySQL"
            + " is where the environment says, TXBOX_MYSQL_URL=jdbc:mysql://host:port/?user=u"
            + "&password=p, with a user who may do all, in a database of its own; or else in a"
            + " container, by Docker."
      })
  private String database;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Send the same as in the run that has printed this seed.")
  private @Nullable Long seed;

  @Option(
      names = "--payments",
      paramLabel = "N",
      defaultValue = "400",
      description = {
        "How many payments, from " + FEWEST + " to " + MOST + " (default: ${DEFAULT-VALUE}).",
        "More take longer: about 20 a second."
      })
  private int payments;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this, and exit.")
  @SuppressWarnings("unused") // Read by picocli.
  private boolean help;

  // Filled by picocli.
  @SuppressWarnings("NullAway.Init")
  Demo() {}

  /** Runs the demo and ends the process with its exit code. */
  public static void main(String... arguments) {
    // Before the first logger.
    System.setProperty("logback.configurationFile", LOGBACK);
    Locale.setDefault(Locale.ROOT);
    CommandLine commandLine =
        new CommandLine(new Demo())
            .setOut(new PrintWriter(System.out, true, UTF_8))
            .setErr(new PrintWriter(System.err, true, UTF_8))
            .setParameterExceptionHandler(Demo::refuse)
            .setExecutionExceptionHandler(Demo::fail);
    System.exit(commandLine.execute(arguments));
  }

  private static int refuse(ParameterException wrong, String[] arguments) {
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println(wrong.getMessage());
    err.println("./demo --help says what it takes.");
    return CommandLine.ExitCode.USAGE;
  }

  private static int fail(
      Exception thrown, CommandLine commandLine, CommandLine.ParseResult parsed) {
    commandLine.getErr().println("The demo did not come to its end, and says nothing about txbox:");
    thrown.printStackTrace(commandLine.getErr());
    return CommandLine.ExitCode.SOFTWARE;
  }

  @Override
  public Integer call() throws Exception {
    Mode mode = mode();
    Database kind = database();
    if (payments < FEWEST || payments > MOST) {
      throw refusal("--payments must be from " + FEWEST + " to " + MOST + ", but was " + payments);
    }
    long chosen = seed == null ? new Random().nextInt(1_000_000) : seed;
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%s on %s, with --seed %d%n%n", mode.title(), kind.title(), chosen);
    Progress progress = new Progress(out);
    try (Cleanup cleanup = new Cleanup()) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(progress, cleanup), "stop"));
      return run(mode, kind, chosen, progress, cleanup);
    }
  }

  /** Does nothing if the run is over. */
  private static void stop(Progress progress, Cleanup cleanup) {
    if (!cleanup.isClosed()) {
      progress.end();
      progress.say("Stops, and cleans up");
      // A pool would warn that its connections break: Ctrl-C is for the database's process too.
      ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }
    cleanup.close();
  }

  /** Returns what the command line asks for. */
  Mode mode() {
    try {
      return naive == null ? Mode.TXBOX : Mode.naive(naive);
    } catch (IllegalArgumentException e) {
      throw refusal("--naive " + e.getMessage());
    }
  }

  private Database database() {
    try {
      return Database.named(database);
    } catch (IllegalArgumentException e) {
      throw refusal("--database " + e.getMessage());
    }
  }

  private ParameterException refusal(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int run(Mode mode, Database kind, long chosen, Progress progress, Cleanup cleanup)
      throws Exception {
    try {
      Report report = Run.of(mode, kind, payments, chosen, progress, cleanup);
      progress.end();
      report.print(spec.commandLine().getOut());
      return report.isRight() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    } catch (MissingServerException e) {
      progress.end();
      throw refusal("--database: there is no server. " + e.getMessage());
    } catch (Exception e) {
      if (cleanup.isClosed()) {
        // Ctrl-C: what it ran into is what the cleanup took away.
        return CommandLine.ExitCode.SOFTWARE;
      }
      throw e;
    }
  }
}
