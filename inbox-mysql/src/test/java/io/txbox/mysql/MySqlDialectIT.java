package io.txbox.mysql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.SetupException;
import io.txbox.migrations.Migrations;
import io.txbox.testkit.database.DatabaseExtension;
import io.txbox.testkit.database.TestDatabase;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MySqlDialectIT extends MySqlTests {
  @RegisterExtension
  static final DatabaseExtension DATABASE = DatabaseExtension.mysql().schema(Migrations::migrate);

  @Override
  TestDatabase database() {
    return DATABASE.database();
  }

  @Override
  String urlByTheOtherDriver(String url) {
    return url.replace("jdbc:mysql:", "jdbc:mariadb:");
  }

  @Test
  void refusesSettingsUnderWhichTheDriverSendsOtherText() {
    DSLContext latin = pool(p -> p.addDataSourceProperty("characterEncoding", "ISO-8859-1"));
    DSLContext unescaped =
        pool(p -> p.setConnectionInitSql("SET sql_mode = 'NO_BACKSLASH_ESCAPES'"));

    for (DSLContext dsl : List.of(latin, unescaped)) {
      assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("does not reach the server as it is");
    }
  }

  @Test
  void refusesAnAddressWhoseOtherServersTheDriverTakesForReadOnly() {
    String two = database().jdbcUrl().replaceFirst("//([^/]+)/", "//$1,$1/");
    assertThatThrownBy(() -> inbox(pool(p -> p.setJdbcUrl(two)), (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("failOverReadOnly=false");

    inbox(pool(p -> p.setJdbcUrl(two + "?failOverReadOnly=false")), (received, tx) -> {}).check();
    String one = database().jdbcUrl().replaceFirst("//([^/:]+):([^/]+)/", "//(host=$1,port=$2)/");
    inbox(pool(p -> p.setJdbcUrl(one)), (received, tx) -> {}).check();
  }

  /** MariaDB's driver sees it by itself, and sets it right. */
  @Test
  void refusesAPoolThatSetsAutocommitBehindTheDriversBack() {
    DSLContext dsl =
        pool(
            p -> {
              p.setAutoCommit(false);
              p.setConnectionInitSql("SET autocommit = 1");
            });

    assertThatThrownBy(() -> inbox(dsl, (received, tx) -> {}).check())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("autocommit");
  }
}
