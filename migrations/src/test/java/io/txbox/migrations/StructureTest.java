package io.txbox.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StructureTest {

  /** Their columns stand in another order: docs/decisions/015-rows-by-their-keys.md. */
  private static final Map<String, String> SAME =
      Map.of(
          "inbox | index (scope_id, state, processed_at)",
          "inbox | index (state, scope_id, processed_at)");

  private static final String ONE =
      """
      inbox | column state | smallint NOT NULL
      inbox | primary key | (scope_id, dedup_key)
      """;

  @Test
  void readsWhatItWrites() {
    assertThat(Structure.parse(ONE)).hasToString(ONE);
  }

  @Test
  void findsNothingInAnEqualOne() {
    assertThat(Structure.parse(ONE).differences(Structure.parse(ONE))).isEmpty();
  }

  @Test
  void findsEverythingInAnEmptyOne() {
    assertThat(Structure.parse(ONE).differences(new Structure()))
        .containsExactly("table inbox is missing");
  }

  @Test
  void namesWhatIsAndWhatShouldBe() {
    Structure actual = Structure.parse("inbox | column state | text NULL DEFAULT\n");

    assertThat(Structure.parse(ONE).differences(actual))
        .containsExactly(
            "table inbox: column state is text NULL DEFAULT, it should be smallint NOT NULL",
            "table inbox: primary key is missing, it should be (scope_id, dedup_key)");
  }

  @Test
  void bothDatabasesHaveTheSameColumnsAndKeys() {
    Set<String> ofMySql =
        items(Vendor.MYSQL).stream()
            .map(item -> SAME.getOrDefault(item, item))
            .collect(Collectors.toSet());
    assertThat(items(Vendor.MYSQL)).containsAll(SAME.keySet());
    assertThat(ofMySql).isEqualTo(items(Vendor.POSTGRESQL)).hasSizeGreaterThan(30);
    assertThat(Release.CURRENT.structure(Vendor.MYSQL).tables())
        .isEqualTo(
            List.of(
                "inbox",
                "inbox_clock",
                "inbox_lease",
                "inbox_parked",
                "inbox_queue",
                "inbox_schema",
                "inbox_scope"));
  }

  private static Set<String> items(Vendor vendor) {
    return Release.CURRENT
        .structure(vendor)
        .toString()
        .lines()
        .filter(line -> !line.contains("| engine |") && !line.contains("| check "))
        .map(line -> line.substring(0, line.lastIndexOf(" | ")))
        .collect(Collectors.toSet());
  }
}
