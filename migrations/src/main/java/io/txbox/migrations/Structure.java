package io.txbox.migrations;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a set of tables looks like: per table, each column, key, index and check by name, with its
 * definition. As text it is one line an item ({@code inbox | column state | smallint NOT NULL}), so
 * that the expected structure is a file that a person can read.
 */
final class Structure {

  private static final String SEPARATOR = " | ";
  private static final String COLUMN = "column ";
  private static final String PRESENT = "present";
  private static final String DEFAULT = " DEFAULT";

  private final Map<String, Map<String, String>> tables = new TreeMap<>();

  static Structure parse(String text) {
    Structure structure = new Structure();
    text.lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" \\| ", 3))
        .forEach(parts -> structure.add(parts[0], parts[1], parts[2]));
    return structure;
  }

  void add(String table, String item, String definition) {
    tables.computeIfAbsent(table, t -> new TreeMap<>()).put(item, definition);
  }

  boolean has(String table) {
    return tables.containsKey(table);
  }

  boolean has(String table, String item) {
    return tables.getOrDefault(table, Map.of()).containsKey(item);
  }

  List<String> tables() {
    return List.copyOf(tables.keySet());
  }

  /**
   * What a reader of {@code this}, the expected structure, would miss or mistake in the actual one.
   */
  List<String> differences(Structure actual) {
    List<String> differences = new ArrayList<>();
    for (String table : tables.keySet()) {
      differences.addAll(differences(actual, table));
    }
    return differences;
  }

  List<String> differences(Structure actual, String table) {
    Map<String, String> found = actual.tables.get(table);
    if (found == null) {
      return List.of("table " + table + " is missing");
    }
    List<String> differences = new ArrayList<>();
    Map<String, String> expected = tables.getOrDefault(table, Map.of());
    expected.forEach(
        (item, definition) -> {
          String difference = difference(item, definition, found.get(item));
          if (difference != null) {
            differences.add("table " + table + ": " + difference);
          }
        });
    found.forEach(
        (item, definition) -> {
          if (!expected.containsKey(item) && breaksInserts(item, definition)) {
            differences.add(
                "table %s: %s is not txbox's, and every insert would fail, since it is %s without a default"
                    .formatted(table, item, definition));
          }
        });
    return differences;
  }

  /**
   * Only what is missing altogether: all that can be asked of a newer version, which may have
   * widened what it found.
   */
  List<String> missing(Structure actual) {
    return tables.keySet().stream().flatMap(table -> missing(actual, table).stream()).toList();
  }

  List<String> missing(Structure actual, String table) {
    Map<String, String> found = actual.tables.get(table);
    if (found == null) {
      return List.of("table " + table + " is missing");
    }
    return tables.getOrDefault(table, Map.of()).keySet().stream()
        .filter(item -> item.startsWith(COLUMN) && !found.containsKey(item))
        .map(item -> "table " + table + ": " + item + " is missing")
        .toList();
  }

  private static @Nullable String difference(String item, String expected, @Nullable String found) {
    if (found == null) {
      return item + " is missing" + (expected.equals(PRESENT) ? "" : ", it should be " + expected);
    }
    // A default on a column of ours changes nothing: each insert names all columns.
    return found.replace(DEFAULT, "").equals(expected)
        ? null
        : "%s is %s, it should be %s".formatted(item, found, expected);
  }

  private static boolean breaksInserts(String item, String definition) {
    return item.startsWith(COLUMN)
        && definition.contains(" NOT NULL")
        && !definition.contains(DEFAULT)
        && !definition.contains("IDENTITY")
        && !definition.contains("AUTO_INCREMENT");
  }

  @Override
  public String toString() {
    return tables.entrySet().stream()
        .flatMap(
            table ->
                table.getValue().entrySet().stream()
                    .map(
                        item ->
                            table.getKey()
                                + SEPARATOR
                                + item.getKey()
                                + SEPARATOR
                                + item.getValue()))
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
