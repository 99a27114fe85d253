package io.txbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong about a command line is said at once, before anything starts. */
class BenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Bench.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --arms=inbox,outbox         | --arms: no arm 'outbox'; there are plain, plain-narrow, plain-lanes, inbox-off, inbox,
          --arms=                     | --arms: no arm ''; there are plain,
          --cost=9ms                  | --cost: no cost '9ms'; there are 0, statements, uncontended, 5ms
          --arms=inbox-batch --cost=5ms | --arms: these arms are not measured at this cost
          --database=oracle           | --database: no database 'oracle'; there are postgres, mysql, mariadb
          --messages=99               | --messages must be from 100 to 1,000,000, but was 99
          --messages=many             | Invalid value for option '--messages'
          --rounds=0                  | --rounds must be from 1 to 100, but was 0
          --warm-up=-1                | --warm-up must be from 0 to 100, but was -1
          --lanes=21                  | --lanes must be from 1 to 20, but was 21
          --batch=1001                | --batch must be from 1 to 1,000, but was 1,001
          --output=found.txt          | --output: must end with .csv
          --output=no/such/found.csv  | --output: cannot be written: there is no folder
          --purge --capacity          | --purge and --capacity exclude each other
          --purge --rows=999          | --rows must be from 1,000 to 1,000,000,000, but was 999
          --purge --rows=2000 --purge-rows=2001 | --purge-rows must be from 1 to 2,000, but was 2,001
          --purge --key-length=15     | --key-length must be from 16 to 255, but was 15
          --rows=2000                 | --rows and --purge-rows are for --purge and --capacity
          --capacity --output=x.csv   | --output is not for --purge and --capacity
          --quick                     | Unknown option: '--quick'
          """)
  void refuses(String arguments, String said) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);

    assertThat(err.toString()).contains(said).contains("./bench --help says what it takes.");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void explainsEachArmAndCost() {
    assertThat(run("--help")).isZero();

    for (Arm arm : Arm.values()) {
      assertThat(out.toString()).contains(arm.label() + " ").contains(arm.meaning());
    }
    for (Cost cost : Cost.values()) {
      assertThat(out.toString()).contains(cost.label() + " ").contains(cost.meaning());
    }
  }
}
