package io.txbox.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorableTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "abc", "abc ", "ABC", "äbc", "a\u0301bc", "\u0001\t\n", "ключ", "🧾"})
  void storesWhatFitsAsItIs(String text) {
    assertThat(StorableText.of(text)).isEqualTo(text);
  }

  @Test
  void storesUpToTheLimitInBytesAsItIs() {
    assertThat(StorableText.of("x".repeat(255))).isEqualTo("x".repeat(255));
    assertThat(StorableText.of("x".repeat(256))).isNotEqualTo("x".repeat(256));
    assertThat(StorableText.of("ä".repeat(127))).isEqualTo("ä".repeat(127));
    assertThat(StorableText.of("ä".repeat(128))).isNotEqualTo("ä".repeat(128));
    assertThat(StorableText.of("🧾".repeat(63))).isEqualTo("🧾".repeat(63));
    assertThat(StorableText.of("🧾".repeat(64))).isNotEqualTo("🧾".repeat(64));
  }

  // BC-40, BC-41
  @ParameterizedTest
  @ValueSource(ints = {256, 600, 3_000, 20_000})
  void storesAnyTextInTheLimitAndWithoutNul(int length) {
    StringBuilder text = new StringBuilder();
    new Random(length).ints(length, 0, 0x10000).forEach(c -> text.append((char) c));

    String stored = StorableText.of(text.toString());

    assertThat(stored.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(255);
    assertThat(stored).doesNotContain("\0");
    assertThat(new String(stored.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(stored);
  }

  @Test
  void tellsApartWhatDiffersOnlyAtTheEnd() {
    String common = "x".repeat(2_000);

    assertThat(StorableText.of(common + "a")).isNotEqualTo(StorableText.of(common + "b"));
  }

  @Test
  void tellsNulFromItsAbsenceAndItsReplacement() {
    assertThat(StorableText.of("k\0z"))
        .isNotEqualTo(StorableText.of("kz"))
        .isNotEqualTo(StorableText.of("k?z"))
        .isNotEqualTo(StorableText.of("k\0\0z"));
  }

  @Test
  void tellsHalfSurrogatePairsApart() {
    assertThat(StorableText.of("k\uD800"))
        .isNotEqualTo(StorableText.of("k\uD801"))
        .isNotEqualTo(StorableText.of("k?"))
        .isNotEqualTo(StorableText.of("k\uFFFD"));
  }

  @Test
  void noTextEqualsTheStoredFormOfAnother() {
    String stored = StorableText.of("x".repeat(300));

    assertThat(StorableText.of(stored)).isNotEqualTo(stored);
    assertThat(StorableText.of("~sha256:" + "0".repeat(64)))
        .isNotEqualTo("~sha256:" + "0".repeat(64));
  }

  @Test
  void startsReadable() {
    assertThat(StorableText.of("ORDER-17/" + "x".repeat(300))).startsWith("ORDER-17/xxx");
  }
}
