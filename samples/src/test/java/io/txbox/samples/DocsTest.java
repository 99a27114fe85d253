package io.txbox.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Keeps the pages true to the code: each block of Java in them names the region of a source file
 * that it shows, by {@code <!-- path/of/File.java: region -->} in the line above, and is equal to
 * it. The file is compiled and run by the tests of its module.
 */
class DocsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern JAVA_BLOCK =
      Pattern.compile("(?:<!-- (\\S+): (\\w+) -->\n)?```java\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)[^)]*\\)");

  static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyBlockOfJavaIsARegionOfTheCode(Path page) throws IOException {
    for (MatchResult block : matches(JAVA_BLOCK, page)) {
      assertThat(block.group(1)).as("the source of%n%s", block.group(3)).isNotNull();
      assertThat(block.group(3)).isEqualTo(region(ROOT.resolve(block.group(1)), block.group(2)));
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkLeadsToAFile(Path page) throws IOException {
    assertThat(matches(LINK, page).stream().map(link -> link.group(1)))
        .filteredOn(link -> !link.startsWith("http"))
        .allSatisfy(link -> assertThat(page.resolveSibling(link)).exists());
  }

  @Test
  void theReadmeShowsHandlerStartAndTest() throws IOException {
    assertThat(matches(JAVA_BLOCK, ROOT.resolve("README.md")))
        .extracting(block -> block.group(2))
        .contains("handler", "start", "test");
  }

  private static List<MatchResult> matches(Pattern pattern, Path page) throws IOException {
    return pattern.matcher(Files.readString(page)).results().toList();
  }

  /** Returns the lines between {@code // README: name} and {@code // README: end}, unindented. */
  private static String region(Path file, String name) {
    try {
      List<String> lines = Files.readAllLines(file);
      List<String> trimmed = lines.stream().map(String::strip).toList();
      int from = trimmed.indexOf("// README: " + name) + 1;
      assertThat(from).as("the region %s of %s", name, file).isPositive();
      int length = trimmed.subList(from, lines.size()).indexOf("// README: end");
      assertThat(length).as("the end of region %s of %s", name, file).isPositive();
      return String.join("\n", lines.subList(from, from + length)).stripTrailing().stripIndent()
          + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
