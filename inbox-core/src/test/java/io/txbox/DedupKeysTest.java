package io.txbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DedupKeysTest {
  private static final DedupKeyExtractor ORDER = DedupKeys.property("ORDER");
  private static final DedupKeyExtractor LINE = DedupKeys.property("LINE");

  @Test
  void takesKeysAsTheyWereSent() {
    InboxMessage message = InboxMessage.builder("T").keys("a b ").build();

    assertThat(DedupKeys.keys().extract(message)).contains("a b ");
  }

  @Test
  void takesMessageId() {
    InboxMessage message = InboxMessage.builder("T").messageId("7F00").build();

    assertThat(DedupKeys.messageId().extract(message)).contains("7F00");
  }

  @Test
  void takesTheOutboxsId() {
    InboxMessage message =
        InboxMessage.builder("T").property(DedupKeys.OUTBOX_ID_PROPERTY, "17").build();

    assertThat(DedupKeys.outboxId().extract(message)).contains("17");
  }

  @Test
  void saysWhatItLooksFor() {
    assertThat(DedupKeys.firstOf(DedupKeys.composite(ORDER, LINE), DedupKeys.keys()))
        .hasToString("first of [composite of [property 'ORDER', property 'LINE'], KEYS]");
  }

  @Test
  void compositeTellsApartWhatPlainJoiningWouldMerge() {
    DedupKeyExtractor both = DedupKeys.composite(ORDER, LINE);

    assertThat(both.extract(orderLine("a|b", "c")))
        .isNotEqualTo(both.extract(orderLine("a", "b|c")));
    assertThat(both.extract(orderLine("a\\", "b")))
        .isNotEqualTo(both.extract(orderLine("a", "\\b")));
    assertThat(both.extract(orderLine("a\\|b", "c")))
        .isNotEqualTo(both.extract(orderLine("a\\", "b|c")));
    assertThat(both.extract(orderLine("a", "b"))).isEqualTo(both.extract(orderLine("a", "b")));
  }

  @Test
  void compositeHasNoKeyWhereAPartIsMissingOrBlank() {
    DedupKeyExtractor both = DedupKeys.composite(ORDER, LINE);

    assertThat(both.extract(InboxMessage.builder("T").property("ORDER", "a").build())).isEmpty();
    assertThat(both.extract(orderLine("a", " "))).isEmpty();
  }

  @Test
  void firstOfPassesOverMissingAndBlankOnes() {
    DedupKeyExtractor either = DedupKeys.firstOf(ORDER, LINE);

    assertThat(either.extract(orderLine(" ", "b"))).contains("b");
    assertThat(either.extract(orderLine("a", "b"))).contains("a");
    assertThat(either.extract(InboxMessage.builder("T").build())).isEmpty();
  }

  @Test
  void refusesSettingsByNameAndValue() {
    assertThatThrownBy(() -> DedupKeys.property(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("property name must not be blank, but was ' '");
    assertThatThrownBy(() -> DedupKeys.composite(ORDER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("number of extractors of composite must be at least 2, but was 1");
  }

  private static InboxMessage orderLine(String order, String line) {
    return InboxMessage.builder("T").property("ORDER", order).property("LINE", line).build();
  }
}
