package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CliTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void helpNamesEveryCommand() {
    assertThat(run("--help")).isZero();

    assertThat(out.toString())
        .contains("purge", "Exit codes")
        .containsPattern("1 it failed, was told to end, another janitor kept the\\s+lease");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"purge --help", "help purge"})
  void purgeHasHelp(String line) {
    assertThat(run(line.split(" "))).isZero();

    assertThat(out.toString())
        .contains("Usage: inbox-cli purge", "--dry-run", "TXBOX_DB_PASSWORD", "TXBOX_ACCESS_KEY")
        .contains("jdbc:mysql:", "jdbc:mariadb:", "--topic=A,B")
        .containsPattern("Needed\\s+unless\\s+--by-wall-clock");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "unknown",
        "purge",
        "purge --url jdbc:postgresql://127.0.0.1:1/app",
        "purge --url jdbc:postgresql://127.0.0.1:1/app --group g",
      })
  void wrongCommandLinesGiveTwo(String line) {
    assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);

    assertThat(err.toString()).isNotBlank().doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  // BC-74
  @ParameterizedTest
  @CsvSource({
    "--retention 0d,--retention '0d' is refused",
    "--retention -7d,--retention '-7d' is refused",
    "--retention 7,--retention '7' is refused",
    "--retention 999999d,--retention '999999d' is refused: retention must be at most 3650d",
    "--retention week,such as '7d'",
    "--retention 7d --margin 7d,--margin '7d' is refused: margin must be less than the retention",
    "--retention 7d --margin 0d,--margin '0d' is refused: margin must be at least 1ms",
    "--retention 7d --margin 1x,--margin '1x' is refused: margin must be numbers with the units",
    "--retention 7d --lease-wait -1,--lease-wait must be at least 0",
    "--retention 7d --name-server nowhere,--name-server 'nowhere' is refused",
    "--retention 7d --max-reconsume-times -1,--max-reconsume-times '-1' is refused",
    "--retention 7d --topic=A --topic=,--topic '' is refused",
    "--retention 7d --topic A%20b,--topic 'A b' is refused: it is none that RocketMQ allows",
    "--retention 7d --topic=A%2CB$,--topic 'B$' is refused: it is none that RocketMQ allows",
    "--retention 7d --schema=,--schema must not be blank",
    "--retention 7d --group=,--group must not be blank",
    "--retention 7d --url jdbc:oracle:thin:me/secret@db?x=y,--url must begin with jdbc:postgresql:",
  })
  void refusesValuesByTheNameOfTheirOptionBeforeItConnects(String options, String expected) {
    assertThat(run(with(options + " --by-wall-clock"))).isEqualTo(2);

    assertThat(err.toString())
        .contains(expected)
        .doesNotContain("\tat ", "secret", "Usage:")
        .endsWith("See inbox-cli purge --help" + System.lineSeparator());
    assertThat(err.toString().lines()).hasSize(2);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:oracle:thin:root/secret@x",
        "jdbc:foo://h/d?password=secret",
        "postgresql://root:secret@h/d",
        "jdbc:postgresql://h:port/d?password=secret",
      })
  void showsNoPasswordOfAnAddressThatIsWrong(String url) {
    assertThat(run(with("--retention 7d --by-wall-clock --url " + url))).isEqualTo(2);

    assertThat(err.toString()).contains("--url").doesNotContain("secret");
  }

  @Test
  void showsNoPasswordOfAnAddressThatADriverCannotRead() {
    String url = "jdbc:mysql://127.0.0.1:1/d;password=secret";

    assertThat(run(with("--retention 7d --by-wall-clock --url " + url))).isEqualTo(1);

    assertThat(err.toString())
        .contains("The database jdbc:mysql://127.0.0.1:1/d ")
        .doesNotContain("secret");
  }

  @Test
  void namesWhatIsUnknownEvenIfSomethingIsMissingToo() {
    assertThat(run("purge", "--grup", "accounts")).isEqualTo(2);

    assertThat(err.toString())
        .contains("Unknown options: '--grup', 'accounts'", "See inbox-cli purge --help")
        .doesNotContain("Missing", "Usage:");
  }

  @Test
  void namesWhatIsMissing() {
    assertThat(run("purge", "--group", "accounts")).isEqualTo(2);

    assertThat(err.toString())
        .contains("Missing required options", "--url", "--retention")
        .doesNotContain("Usage:");
  }

  @Test
  void wantsANameServerOrTheTimeOfDay() {
    assertThat(run(with("--retention 7d"))).isEqualTo(2);

    assertThat(err.toString()).contains("--name-server is missing", "--by-wall-clock");
  }

  @Test
  void saysWhichDatabaseDoesNotAnswerWithoutItsPassword() {
    assertThat(
            run(
                with(
                    "--retention 7d --by-wall-clock --url"
                        + " jdbc:postgresql://127.0.0.1:1/app?password=secret")))
        .isEqualTo(1);

    assertThat(err.toString())
        .contains("The database jdbc:postgresql://127.0.0.1:1/app does not answer")
        .doesNotContain("secret", "\tat ");
  }

  private static String[] with(String options) {
    List<String> given = Arrays.asList(options.split(" "));
    Stream<String> url =
        given.contains("--url") ? Stream.of() : Stream.of("--url", "jdbc:postgresql://h/d");
    Stream<String> group =
        given.contains("--group=") ? Stream.of() : Stream.of("--group", "accounts");
    return Stream.of(Stream.of("purge"), url, group, given.stream())
        .flatMap(arguments -> arguments)
        .map(argument -> argument.replace("%20", " ").replace("%2C", ","))
        .toArray(String[]::new);
  }

  private int run(String... arguments) {
    return Cli.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }
}
