package io.txbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class InboxMessageTest {
  @Test
  void isNotChangedThroughItsBody() {
    byte[] body = {1, 2};
    InboxMessage message = InboxMessage.builder("T").body(body).build();

    body[0] = 9;
    message.body()[1] = 9;

    assertThat(message.body()).containsExactly(1, 2);
  }

  @Test
  void isNotChangedThroughItsBuilder() {
    InboxMessage.Builder builder = InboxMessage.builder("T").property("a", "1");
    InboxMessage message = builder.build();

    builder.property("a", "2");

    assertThat(message.property("a")).contains("1");
  }

  @Test
  void isAsOldAsTheEarlierOfItsTimes() {
    Instant earlier = Instant.parse("2026-01-01T00:00:00Z");
    Instant later = earlier.plusSeconds(5);

    assertThat(InboxMessage.builder("T").bornAt(earlier).storedAt(later).build().messageTime())
        .isEqualTo(earlier);
    assertThat(InboxMessage.builder("T").bornAt(later).storedAt(earlier).build().messageTime())
        .isEqualTo(earlier);
  }

  @Test
  void hasAnIdOfItsOwn() {
    assertThat(InboxMessage.builder("T").build().messageId())
        .isNotEqualTo(InboxMessage.builder("T").build().messageId());
  }

  @Test
  void doesNotShowItsBodyOrProperties() {
    InboxMessage message =
        InboxMessage.builder("T")
            .property("card", "4111")
            .body("secret".getBytes(StandardCharsets.UTF_8))
            .build();

    assertThat(message.toString()).contains("T", message.messageId()).doesNotContain("4111");
  }

  @Test
  void refusesABlankTopicAndAnAttemptBelowOne() {
    assertThatThrownBy(() -> InboxMessage.builder(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic must not be blank, but was ' '");
    assertThatThrownBy(() -> InboxMessage.builder("T").attempt(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("attempt must be at least 1, but was 0");
  }
}
