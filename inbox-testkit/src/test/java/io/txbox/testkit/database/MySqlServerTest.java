package io.txbox.testkit.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.testkit.database.DatabaseServer.Address;
import io.txbox.testkit.database.MySqlServer.Product;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MySqlServerTest {

  @Test
  void keepsToTheAddressOfTheEnvironment() {
    MySqlServer server =
        MySqlServer.start(
            Product.MARIADB,
            Map.of("TXBOX_MARIADB_URL", "jdbc:mariadb://db:3307/?user=u&password=p%26q"));

    assertThat(server.jdbcUrl(new Address("db", 3307, "d", "u", "p")))
        .isEqualTo("jdbc:mariadb://db:3307/d");
  }

  @Test
  void refusesAnAddressOfAnotherDriver() {
    assertThatThrownBy(() -> MySqlServer.at(Product.MYSQL, "jdbc:mariadb://db/"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:mysql://host:port/");
  }

  @Test
  void refusesAKindThatItDoesNotKnow() {
    assertThatThrownBy(() -> MySqlServer.start(Product.MYSQL, Map.of("TXBOX_MYSQL", "embedded")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("embedded");
  }
}
