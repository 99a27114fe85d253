package io.txbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:postgresql://db:5432/app | jdbc:postgresql://db:5432/app",
        "jdbc:postgresql://a:1,b-2.x:2/app | jdbc:postgresql://a:1,b-2.x:2/app",
        "jdbc:postgresql://[::1]:5432/app?user=me@x | jdbc:postgresql://[::1]:5432/app",
        "jdbc:postgresql:app?password=secret | jdbc:postgresql:app",
        "jdbc:mysql://h:p/d | jdbc:mysql:…",
        "jdbc:mysql://h/d?password=secret | jdbc:mysql://h/d",
        "jdbc:mysql://h/d&password=secret | jdbc:mysql://h/d",
        "jdbc:mysql://root:secret@h:1/d | jdbc:mysql://***@h:1/d",
        "jdbc:mysql://root:a@secret/b@h/d | jdbc:mysql://***@h/d",
        "jdbc:mysql://root:a?secret@h/d | jdbc:mysql:…",
        "jdbc:mysql://root:a/secret?b@h/d | jdbc:mysql:…",
        "jdbc:mysql://address=(host=h)(password=secret)/d | jdbc:mysql:…",
        "jdbc:mariadb:replication://a,b/d | jdbc:mariadb:replication://a,b/d",
        "jdbc:sqlserver://h:1433;password=secret | jdbc:sqlserver://h:1433",
        "jdbc:oracle:thin:root/secret@x | jdbc:oracle:…",
        "jdbc:oracle:thin:root/secret@//h/x | jdbc:oracle:…",
        "jdbc:foo://h/d?password=secret | jdbc:foo://h/d",
        "postgresql://root:secret@h/d | postgresql:…",
        "root/secret@h | …",
        "jdbc:nobody: | jdbc:nobody:",
      })
  void showsHostsAndDatabaseAlone(String url, String shown) {
    assertThat(Address.withoutSecrets(url)).isEqualTo(shown);
    assertThat(Address.withoutSecrets(url, "cannot read " + url)).doesNotContain("secret");
  }
}
