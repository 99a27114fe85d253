package io.txbox.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.MissingServerException;
import io.txbox.testkit.database.TestDatabase;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line of {@code ./bench}.
 *
 * <p>Exit codes: 0 measured; 1 a case lost or doubled effects, or did not come to its end; 2 the
 * command line was wrong.
 */
@Command(
    name = "./bench",
    sortOptions = false,
    description = {
      "Measures, end to end from a RocketMQ broker to a database that syncs each commit to the"
          + " disk, how many messages a second are consumed with an inbox, without one, and with a"
          + " usual dedup table. All cases take turns in each round; the ratios within a round are"
          + " what counts. After each case the effects are checked.",
      ""
    })
public final class Bench implements Callable<Integer> {
  private static final int FEWEST_MESSAGES = 100;
  private static final int MOST_MESSAGES = 1_000_000;
  private static final int MOST_ROUNDS = 100;
  private static final long FEWEST_ROWS = 1_000;
  private static final long MOST_ROWS = 1_000_000_000;
  private static final long PURGE_ROWS = 50_000_000;
  private static final long CAPACITY_ROWS = 1_000_000;
  private static final String ALL = "all";
  private static final int WIDTH = 110;
  private static final String EXIT_CODES =
      "Exit codes: 0 measured; 1 a case lost or doubled effects, or did not come to its end; 2 the"
          + " command line was wrong.";

  @Spec private CommandSpec spec;

  @Option(
      names = "--database",
      paramLabel = "DATABASE",
      defaultValue = "postgres",
      description = {
        "Which database, postgres, mysql or mariadb (default: ${DEFAULT-VALUE}). MySQL is where the"
            + " environment says, TXBOX_MYSQL_URL=jdbc:mysql://host:port/?user=u&password=p, or in"
            + " a container."
      })
  private String database;

  @Option(
      names = "--driver",
      paramLabel = "NAME=VALUE",
      split = ",",
      arity = "0..1",
      description =
          "Properties of the JDBC driver, instead of those that ./demo sets; none for its defaults.")
  private @Nullable Map<String, String> driver;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How many rounds are counted (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many rounds are run before, and not counted (default: ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "40000",
      description = {
        "How many messages a case consumes (default: ${DEFAULT-VALUE}).",
        "Cases with a transaction for each message take a quarter of that, those that wait a tenth."
      })
  private int messages;

  @Option(
      names = "--arms",
      paramLabel = "ARM,…",
      defaultValue = ALL,
      description = "Which arms, of those below (default: ${DEFAULT-VALUE}).")
  private String arms;

  @Option(
      names = "--cost",
      paramLabel = "COST,…",
      defaultValue = ALL,
      description = "What the handler does, of what is below (default: ${DEFAULT-VALUE}).")
  private String costs;

  @Option(
      names = "--lanes",
      paramLabel = "N",
      description = "How many lanes, of the arms with lanes (default: the consumer's own).")
  private @Nullable Integer lanes;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "How many messages share a transaction at most, with lanes (default: the consumer's own).")
  private @Nullable Integer batch;

  @Option(
      names = "--output",
      paramLabel = "FILE.csv",
      description = "Write each sample there, and a chart beside it, as FILE.svg.")
  private @Nullable Path output;

  @Option(
      names = "--purge",
      description = {
        "Measure the purge of a large inbox instead: consumption alone, the same while a janitor"
            + " purges, and the purge alone, in turns. No arms, costs or output."
      })
  private boolean purge;

  @Option(
      names = "--capacity",
      description = {
        "Measure instead how many bytes a row of the inbox takes, with keys of 36 and of 128"
            + " characters."
      })
  private boolean capacity;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = {
        "How many rows there are, with --purge (default: 50,000,000) and --capacity (default:"
            + " 1,000,000)."
      })
  private @Nullable Long rows;

  @Option(
      names = "--purge-rows",
      paramLabel = "M",
      description = "How many of them may go, with --purge (default: a tenth).")
  private @Nullable Long purgeRows;

  @Option(
      names = "--key-length",
      paramLabel = "N",
      defaultValue = "128",
      description =
          "How many characters their dedup keys have, with --purge (default: ${DEFAULT-VALUE}).")
  private int keyLength;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this, and exit.")
  @SuppressWarnings("unused") // Read by picocli.
  private boolean help;

  // Filled by picocli.
  @SuppressWarnings("NullAway.Init")
  private Bench() {}

  /** Measures, and ends the process with its exit code. */
  public static void main(String... arguments) {
    // Before the first logger, and before the first class of RocketMQ.
    System.setProperty("logback.configurationFile", "io/txbox/benchmarks/logback.xml");
    // A new group's first share of the queues may come at the second look, after 20 s by default.
    System.setProperty("rocketmq.client.rebalance.waitInterval", "1000");
    System.setProperty("java.awt.headless", "true");
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    Locale.setDefault(Locale.ROOT);
    System.exit(
        run(
            new PrintWriter(System.out, true, UTF_8),
            new PrintWriter(System.err, true, UTF_8),
            arguments));
  }

  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    CommandLine commandLine = new CommandLine(new Bench()).setOut(out).setErr(err);
    commandLine.getCommandSpec().usageMessage().width(WIDTH).footer(footer());
    return commandLine
        .setParameterExceptionHandler(Bench::refuse)
        .setExecutionExceptionHandler(Bench::fail)
        .execute(arguments);
  }

  private static String[] footer() {
    Stream<String> arms =
        Arrays.stream(Arm.values()).map(arm -> "  %-13s %s".formatted(arm.label(), arm.meaning()));
    Stream<String> costs =
        Arrays.stream(Cost.values())
            .map(cost -> "  %-13s %s".formatted(cost.label(), cost.meaning()));
    return Stream.of(
            Stream.of("", "Arms:"), arms, Stream.of("", "Costs:"), costs, Stream.of("", EXIT_CODES))
        .flatMap(lines -> lines)
        .toArray(String[]::new);
  }

  private static int refuse(ParameterException wrong, String[] arguments) {
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println(wrong.getMessage());
    err.println("./bench --help says what it takes.");
    return CommandLine.ExitCode.USAGE;
  }

  private static int fail(
      Exception thrown, CommandLine commandLine, CommandLine.ParseResult parsed) {
    PrintWriter err = commandLine.getErr();
    if (thrown instanceof WrongEffectsException) {
      err.println("Wrong effects: " + thrown.getMessage());
    } else {
      err.println("The benchmark did not come to its end:");
      thrown.printStackTrace(err);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  @Override
  public Integer call() throws Exception {
    Settings settings = settings();
    Output written = output == null ? null : parsed("--output", output, Output::to);
    PrintWriter out = spec.commandLine().getOut();
    PurgeSettings purged = purgeSettings();
    try (TestDatabase started = start(settings.database())) {
      String server =
          started.dsl().fetchSingle(settings.database().describe()).get(0, String.class);
      out.printf("%s%n%n", server);
      if (capacity) {
        new CapacityRun(started, settings.database(), purged.rows()).print(out);
      } else {
        measure(started, settings, purged, written);
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void measure(
      TestDatabase started, Settings settings, PurgeSettings purged, @Nullable Output written)
      throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    try (TestBroker broker = TestBroker.inJvm()) {
      if (purge) {
        PurgeReport report = new PurgeRun(broker, started, settings, purged, out).run();
        out.println();
        report.print(out);
        return;
      }
      Results results =
          new Results(
              Run.of(broker, started, settings, sample -> out.println(line(sample, settings))));
      out.println();
      new Report(out).print(results);
      if (written != null) {
        written.write(settings.database().title(), results);
      }
    }
  }

  private PurgeSettings purgeSettings() {
    if (purge && capacity) {
      throw refusal("--purge and --capacity exclude each other");
    }
    long all = rows == null ? (capacity ? CAPACITY_ROWS : PURGE_ROWS) : rows;
    long going = purgeRows == null ? all / 10 : purgeRows;
    between("--rows", FEWEST_ROWS, MOST_ROWS, all);
    between("--purge-rows", 1, all, going);
    between("--key-length", 16, 255, keyLength);
    if (!purge && !capacity && (rows != null || purgeRows != null)) {
      throw refusal("--rows and --purge-rows are for --purge and --capacity");
    }
    if (output != null && (purge || capacity)) {
      throw refusal("--output is not for --purge and --capacity");
    }
    return new PurgeSettings(all, going, keyLength);
  }

  private TestDatabase start(Database kind) {
    try {
      return kind.start();
    } catch (MissingServerException e) {
      throw refusal("--database: there is no server. " + e.getMessage());
    }
  }

  private static String line(Sample sample, Settings settings) {
    return "%-13s %-13s %-12s %,8.0f msg/s, %2d connections, %.1f msg/transaction%s"
        .formatted(
            sample.round() > 0
                ? "round %d/%d".formatted(sample.round(), settings.rounds())
                : "warm-up",
            sample.measured().arm().label(),
            sample.measured().arm() == Arm.DUPLICATES ? "" : sample.measured().cost().label(),
            sample.perSecond(),
            sample.connections(),
            sample.perTransaction(),
            sample.again() > 0 ? ", %,d ended again".formatted(sample.again()) : "");
  }

  private Settings settings() {
    between("--rounds", 1, MOST_ROUNDS, rounds);
    between("--warm-up", 0, MOST_ROUNDS, warmUp);
    between("--messages", FEWEST_MESSAGES, MOST_MESSAGES, messages);
    between("--lanes", 1, Settings.THREADS, lanes == null ? 1 : lanes);
    between("--batch", 1, 1_000, batch == null ? 1 : batch);
    List<Arm> chosenArms = list("--arms", arms, Arm.values(), Arm::named);
    List<Cost> chosenCosts = list("--cost", costs, Cost.values(), Cost::named);
    List<Case> cases = parsed("--arms", chosenArms, chosen -> Case.all(chosen, chosenCosts));
    return new Settings(
        parsed("--database", database, Database::named),
        driver,
        cases,
        warmUp,
        rounds,
        messages,
        lanes,
        batch);
  }

  private void between(String option, long least, long most, long value) {
    if (value < least || value > most) {
      throw refusal(
          "%s must be from %,d to %,d, but was %,d".formatted(option, least, most, value));
    }
  }

  private <T> List<T> list(String option, String text, T[] all, Function<String, T> named) {
    if (text.equals(ALL)) {
      return List.of(all);
    }
    return parsed(
        option, text, names -> Arrays.stream(names.split(",", -1)).map(named).distinct().toList());
  }

  private <A, T> T parsed(String option, A value, Function<A, T> parse) {
    try {
      return parse.apply(value);
    } catch (IllegalArgumentException e) {
      throw refusal(option + ": " + e.getMessage());
    }
  }

  private ParameterException refusal(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
