package io.txbox.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExcuseTest {

  private String before;

  @BeforeEach
  void remember() {
    before = System.getProperty(Excuse.PROPERTY, "");
  }

  @AfterEach
  void restore() {
    System.setProperty(Excuse.PROPERTY, before);
  }

  @Test
  void failsWhatIsNotExcusedAndSaysHowToExcuseIt() {
    System.setProperty(Excuse.PROPERTY, "mysql");
    assertThatThrownBy(() -> Excuse.orFail("docker", "nobody answers"))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "docker is missing: nobody answers. To let such tests be skipped, say"
                + " -Dtxbox.excused=docker");
  }

  @Test
  void abortsWhatIsExcused() {
    System.setProperty(Excuse.PROPERTY, "mysql, docker");
    assertThatThrownBy(() -> Excuse.orFail("docker", "nobody answers"))
        .isNotInstanceOf(AssertionError.class)
        .hasMessageContaining("docker is missing, and excused: nobody answers");
  }

  @Test
  void excusesWholeNamesOnly() {
    System.setProperty(Excuse.PROPERTY, "docker-compose");
    assertThatThrownBy(() -> Excuse.orFail("docker", "nobody answers"))
        .isInstanceOf(AssertionError.class);
  }
}
