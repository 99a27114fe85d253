package io.txbox.cli;

import io.txbox.SetupException;
import io.txbox.internal.DurationText;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.PurgePreview;
import io.txbox.janitor.Retention;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Purges the rows of a consumer group, or says what would go. */
@Command(
    name = "purge",
    description = {
      "Purges inbox rows of a consumer group that no copy of a message can need any more.",
      "Ends once all has gone that could at its start. Safe beside running consumers."
    })
final class PurgeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private Target target;

  @Mixin private Brokers brokers;

  @Option(names = "--group", required = true, description = "The consumer group.")
  private String group;

  @Option(
      names = "--retention",
      required = true,
      description = "For how long its rows are kept, as its consumers say: 7d, 36h, 1d12h.")
  private String retention;

  @Option(
      names = "--margin",
      description = {
        "The retention's margin, as its consumers say.",
        "Default: the one that their janitors have left in the database."
      })
  private @Nullable String margin;

  @Option(
      names = "--by-wall-clock",
      description = "Go by the time of day: what waits for longer than the retention is late then.")
  private boolean byWallClock;

  @Option(
      names = "--accept-short-retention",
      description = "Go on though the brokers keep messages for longer than the retention.")
  private boolean acceptShortRetention;

  @Option(
      names = "--lease-wait",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description = "How long to wait for another janitor (default: ${DEFAULT-VALUE}).")
  private int leaseWait;

  @Option(names = "--dry-run", description = "Say what would go and why; change nothing.")
  private boolean dryRun;

  @SuppressWarnings("NullAway.Init")
  private PurgeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Retention asked = retention();
    check();
    try (OpenDatabase database = target.open()) {
      database.check(target.migration());
      List<String> scopes = scopes(database);
      Retention checked = withTheirMargin(asked, database);
      Set<String> topics = topics(database, scopes);
      Janitor.Builder builder = database.janitor();
      if (brokers.areNamed()) {
        builder.group(group, checked, brokers.progress(group, topics));
      } else {
        builder.group(group, checked);
      }
      PurgeRun run = new PurgeRun(this::out, Duration.ofSeconds(leaseWait), builder);
      try (Janitor janitor = run.janitor()) {
        checkRetention(janitor);
        out(asked(topics));
        return dryRun ? preview(janitor) : run.run();
      }
    }
  }

  private void check() {
    target.check();
    if (group.isBlank()) {
      throw new IllegalArgumentException("--group must not be blank, but was '" + group + "'");
    }
    if (leaseWait < 0) {
      throw new IllegalArgumentException("--lease-wait must be at least 0, but was " + leaseWait);
    }
    brokers.check(group);
    if (!brokers.areNamed() && !byWallClock) {
      throw new IllegalArgumentException(
          "--name-server is missing: the brokers must be asked how far the group has consumed. For"
              + " those that cannot be asked: --by-wall-clock");
    }
  }

  private Retention retention() {
    Retention parsed = named("--retention", retention, () -> Retention.parse(retention));
    if (margin != null) {
      parsed = withMargin(parsed, margin);
    }
    if (byWallClock) {
      parsed = parsed.byWallClock();
    }
    return acceptShortRetention ? parsed.acceptShortRetention() : parsed;
  }

  private static Retention withMargin(Retention retention, String margin) {
    return named("--margin", margin, () -> retention.margin(DurationText.parse("margin", margin)));
  }

  /** A smaller margin than the consumers' would make copies new that are late for them. */
  private Retention withTheirMargin(Retention asked, OpenDatabase database) {
    Duration theirs =
        margin == null ? database.margin(group).orElse(asked.margin()) : asked.margin();
    if (theirs.compareTo(asked.duration()) >= 0) {
      throw new IllegalArgumentException(
          "--retention '"
              + retention
              + "' is not longer than "
              + DurationText.of(theirs)
              + ", the margin that the group's consumers have: say the retention that they have, or"
              + " another --margin");
    }
    return asked.margin(theirs);
  }

  /** Names the option in what is said of its value. */
  private static Retention named(String option, String text, Callable<Retention> value) {
    try {
      return value.call();
    } catch (Exception e) { // There are none but of the value.
      throw new IllegalArgumentException(
          option
              + " '"
              + text
              + "' is refused: "
              + e.getMessage()
              + ". Say a number of days or hours, such as "
              + (option.equals("--margin") ? "1d" : "7d"),
          e);
    }
  }

  private List<String> scopes(OpenDatabase database) {
    List<String> scopes = database.scopes(group);
    if (scopes.isEmpty()) {
      List<String> known = database.groups();
      throw new IllegalArgumentException(
          "--group '"
              + group
              + "' has no scope in inbox_scope, which it has once it has consumed a message. "
              + (known.isEmpty()
                  ? "No group has one: is this the right database and --schema?"
                  : "Groups that have one: " + String.join(", ", known)));
    }
    return scopes;
  }

  /** Leaves out none that is known: the clock would not stand still for its queues. */
  private Set<String> topics(OpenDatabase database, List<String> scopes) {
    Set<String> topics = new LinkedHashSet<>(brokers.topics());
    topics.addAll(database.topics(group));
    if (topics.isEmpty()) {
      topics.addAll(scopes); // By default a topic's scope is the topic.
    }
    return topics;
  }

  private void checkRetention(Janitor janitor) {
    try {
      janitor.check();
    } catch (SetupException e) {
      throw new IllegalStateException(
          Brokers.withoutLinks(String.valueOf(e.getMessage()))
              .replace("acceptShortRetention()", "--accept-short-retention"),
          e);
    }
  }

  private String asked(Set<String> topics) {
    String by =
        byWallClock
            ? "by the time of day"
            : "by how far it has consumed "
                + String.join(", ", topics)
                + (brokers.topics().isEmpty()
                    ? " (topics that the database knows; others: --topic)"
                    : "");
    return "Consumer group " + group + ", retention " + retention + ", " + by;
  }

  private int preview(Janitor janitor) {
    PurgePreview preview = janitor.preview();
    PreviewText.lines(preview).forEach(this::out);
    out("Nothing was changed: this was a dry run.");
    return preview.groups().get(0).heldBy().isPresent() ? 1 : 0;
  }

  private void out(String line) {
    spec.commandLine().getOut().println(line);
  }
}
