package io.txbox.migrations;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What a version of this library brings: the number of its schema, and the folder on the class path
 * where the changelog and what is made from it lie.
 */
record Release(int version, String folder) {

  static final Release CURRENT = new Release(Inspection.KNOWN_VERSION, "io/txbox/migrations");

  String changelog() {
    return folder + "/changelog.xml";
  }

  /** The whole schema as plain SQL, without Liquibase's bookkeeping. */
  String plainSql(Vendor vendor) {
    return resource("sql/" + vendor.files() + ".sql");
  }

  /** The structure that the migrated schema has, as {@link Structure#parse} reads it. */
  Structure structure(Vendor vendor) {
    return Structure.parse(resource("structure/" + vendor.files() + ".txt"));
  }

  private String resource(String name) {
    String path = "/" + folder + "/" + name;
    try (InputStream in = Objects.requireNonNull(Release.class.getResourceAsStream(path), path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(path, e);
    }
  }
}
