package io.txbox.testkit.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {

  @Test
  void givesNoPortTwice() {
    assertThat(IntStream.range(0, 200).map(i -> LoopbackPorts.free()))
        .doesNotHaveDuplicates()
        .allMatch(port -> port < 32_768);
  }
}
