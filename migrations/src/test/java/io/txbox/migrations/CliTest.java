package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
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
        .contains("migrate", "verify", "status", "sql", "release-lock", "rollback", "Exit codes");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"migrate", "verify", "status", "sql", "release-lock", "rollback"})
  void everyCommandHasHelp(String command) {
    assertThat(run(command, "--help")).isZero();

    assertThat(out.toString()).contains("Usage: inbox-migrations " + command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"migrate", "verify", "status", "sql", "release-lock", "rollback"})
  void helpCanBeAskedInBothWays(String command) {
    assertThat(run("help", command)).isZero();

    assertThat(out.toString()).contains("Usage: inbox-migrations " + command);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void versionNamesTheSchemas() {
    assertThat(run("--version")).isZero();

    assertThat(out.toString()).contains("schema version 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "unknown",
        "migrate",
        "migrate --url",
        "verify --url jdbc:nobody: --schema=",
        "verify --url jdbc:nobody: --schema=back\\slash",
        "migrate --url jdbc:nobody: --lock-wait soon",
        "migrate --url jdbc:nobody: --lock-wait -1",
        "sql",
        "sql --database oracle",
      })
  void wrongCommandLinesGiveTwo(String line) {
    assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);

    assertThat(err.toString()).isNotBlank().doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "migrate --url jdbc:nobody: --lock-wait -1,--lock-wait must be at least 0,migrate",
    "migrate --lock-wait 1,Missing required option: '--url=JDBC-URL',migrate",
    "verify --ur jdbc:nobody:,Unknown options: '--ur',verify",
    "sql --database oracle,Invalid value for option '--database',sql",
    "rollback --url jdbc:nobody:,rollback --yes,rollback",
  })
  void saysWhatIsWrongAndWhereTheHelpIsInsteadOfPrintingIt(
      String line, String expected, String command) {
    assertThat(run(line.split(" "))).isEqualTo(2);

    assertThat(err.toString())
        .contains(expected)
        .doesNotContain("Usage:")
        .endsWith("See inbox-migrations " + command + " --help" + System.lineSeparator());
    assertThat(err.toString().lines()).hasSizeLessThanOrEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:oracle:thin:root/secret@x",
        "jdbc:foo://h/d?password=secret",
        "jdbc:foo://root:se/secret@h/d",
        "jdbc:postgresql://h:port/d?password=secret",
        "jdbc:mysql://127.0.0.1:1/d;password=secret",
      })
  void showsNoPasswordOfAnAddressThatIsWrong(String url) {
    assertThat(run("verify", "--url", url)).isEqualTo(1);

    assertThat(err.toString()).isNotBlank().doesNotContain("secret");
  }

  @Test
  void whatFailsGivesOneAndAMessageWithoutAStackTrace() {
    assertThat(run("verify", "--url", "jdbc:nobody:")).isEqualTo(1);

    assertThat(err.toString())
        .contains("no driver on the class path knows the address jdbc:nobody:")
        .contains("java -cp")
        .doesNotContain("\tat ");
  }

  @Test
  void showsTheStackTraceIfAskedTo() {
    assertThat(run("verify", "--url", "jdbc:nobody:", "--stacktrace")).isEqualTo(1);

    assertThat(err.toString()).contains("\tat ");
  }

  @Test
  void rollbackWantsAYes() {
    assertThat(run("rollback", "--url", "jdbc:nobody:")).isEqualTo(2);

    assertThat(err.toString()).contains("drops all tables of txbox", "rollback --yes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mysql", "mariadb"})
  void sqlPrintsTheFile(String database) {
    assertThat(run("sql", "--database", database)).isZero();

    assertThat(out)
        .hasToString(
            Release.CURRENT.plainSql(Vendor.valueOf(database.toUpperCase(java.util.Locale.ROOT))));
  }

  private int run(String... arguments) {
    return Cli.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }
}
