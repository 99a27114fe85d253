package io.txbox.migrations;

import java.util.List;
import java.util.stream.Stream;

/** What the migrated schema of this version consists of, each list in the order of its names. */
final class CurrentSchema {

  static final List<String> CHANGESETS =
      List.of(
          "1-inbox",
          "1-inbox-clock",
          "1-inbox-lease",
          "1-inbox-parked",
          "1-inbox-queue",
          "1-inbox-schema",
          "1-inbox-scope",
          "1-version");

  static final List<String> TABLES =
      List.of(
          "inbox",
          "inbox_clock",
          "inbox_lease",
          "inbox_parked",
          "inbox_queue",
          "inbox_schema",
          "inbox_scope");

  static final List<String> TABLES_AND_CHANGELOG =
      Stream.concat(TABLES.stream(), Stream.of("inbox_changelog", "inbox_changelog_lock"))
          .sorted()
          .toList();

  private CurrentSchema() {}
}
