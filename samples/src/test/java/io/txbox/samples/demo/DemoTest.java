package io.txbox.samples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class DemoTest {
  @Test
  void theScriptsUsageIsTheProgramsOwn() throws IOException {
    assertThat(new CommandLine(new Demo()).getUsageMessage(Ansi.OFF))
        .isEqualToNormalizingNewlines(usage());
  }

  private static String usage() throws IOException {
    try (InputStream file = Demo.class.getResourceAsStream("usage.txt")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), UTF_8);
    }
  }

  @Test
  void takesTheNaiveWayWithASpaceAsWithAnEqualsSign() {
    assertThat(mode()).isEqualTo(Mode.TXBOX);
    assertThat(mode("--naive")).isEqualTo(Mode.MESSAGE_ID);
    assertThat(mode("--naive", "--seed", "1")).isEqualTo(Mode.MESSAGE_ID);
    assertThat(mode("--naive=none")).isEqualTo(Mode.NONE);
    assertThat(mode("--naive", "none")).isEqualTo(Mode.NONE);
  }

  private static Mode mode(String... arguments) {
    Demo demo = new Demo();
    new CommandLine(demo).parseArgs(arguments);
    return demo.mode();
  }
}
