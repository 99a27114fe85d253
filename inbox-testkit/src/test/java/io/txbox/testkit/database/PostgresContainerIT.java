package io.txbox.testkit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;

class PostgresContainerIT {

  private static final Map<String, String> CONTAINER = Map.of(PostgresServer.KIND, "container");

  @Test
  void startsWhereADockerEngineIsAndSaysSoWhereNoneIs() {
    if (DockerClientFactory.instance().isDockerAvailable()) {
      try (PostgresServer server = PostgresServer.start(CONTAINER);
          TestDatabase database = TestDatabase.create(server, "contained")) {
        assertThat(database.dsl().fetchSingle("SHOW fsync").get(0)).isEqualTo("on");
      }
    } else {
      assertThatThrownBy(() -> PostgresServer.start(CONTAINER))
          .hasMessageContaining("docker is missing")
          .hasMessageContaining("no Docker engine answers");
    }
  }
}
