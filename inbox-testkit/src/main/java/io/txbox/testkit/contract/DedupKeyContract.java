package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.DedupKeyExtractor;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.Receipt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** EXACT-KEY, and FAIL-CLOSED for what has no key. */
public abstract class DedupKeyContract extends DatabaseContract {
  /** For subclasses. */
  protected DedupKeyContract() {}

  // BC-10, BC-11, BC-40, BC-41
  @Test
  void keepsDifferentKeysApartAndKnowsEachAgain() {
    List<String> keys = trickyKeys();
    Collections.shuffle(keys, new Random(1));
    Inbox inbox = inbox((message, tx) -> Effects.add(tx, "x"));

    for (String key : keys) {
      assertThat(inbox.receive(keyed(key)).isProcessed()).as("new: %s", key).isTrue();
    }
    for (String key : keys) {
      assertThat(inbox.receive(keyed(key)).isDuplicate()).as("again: %s", key).isTrue();
    }

    assertThat(effects().count()).isEqualTo(keys.size());
    assertThat(inboxRows()).isEqualTo(keys.size());
  }

  private static List<String> trickyKeys() {
    String common = random(2_000);
    List<String> keys =
        new ArrayList<>(
            List.of(
                "abc",
                "ABC",
                "Abc",
                "äbc",
                "a\u0308bc",
                "ab\u00e7",
                "abc ",
                " abc",
                "abc  ",
                "abc\t",
                "abc\n",
                "abc\r\n",
                "\u00a0abc",
                "0",
                "00",
                "null",
                "%",
                "_",
                "'",
                "\"",
                "\\",
                "a|b",
                "k\0z",
                "kz",
                "k\0",
                "k",
                "k\0\0z",
                "\0",
                "k\uD800",
                "k\uD801",
                "k?",
                "k\uFFFD",
                "🧾",
                "🧾 ",
                "ß",
                "ss",
                "ẞ",
                "ﬁ",
                "fi",
                "ı",
                "i",
                "İ",
                "K",
                "\u212A",
                "Ω",
                "\u2126",
                "\u200babc"));
    keys.addAll(
        List.of(
            random(256),
            random(600),
            random(3_000),
            random(20_000),
            common + "a",
            common + "b",
            common + "A",
            "x".repeat(255),
            "x".repeat(256),
            "x".repeat(256) + " ",
            "ä".repeat(127),
            "ä".repeat(128),
            "~sha256:" + "0".repeat(64)));
    return keys;
  }

  private static String random(int length) {
    StringBuilder text = new StringBuilder();
    new Random(length).ints(length, '!', 0xD800).forEach(c -> text.append((char) c));
    return text.toString();
  }

  // BC-13
  @Test
  void keepsTheSameIdOnTwoTopicsApart() {
    Inbox inbox =
        builder(dsl())
            .handler("T1", BY_KEYS, (message, tx) -> Effects.add(tx, "one"))
            .handler("T2", BY_KEYS, (message, tx) -> Effects.add(tx, "two"))
            .build();

    inbox.receive(InboxMessage.builder("T1").keys("a").messageId("ID").build());
    inbox.receive(InboxMessage.builder("T2").keys("a").messageId("ID").build());

    assertThat(effects().all()).containsExactly("one", "two");
  }

  // BC-10
  @Test
  void keepsTopicsApartThatDifferByCase() {
    Inbox inbox =
        builder(dsl())
            .handler("orders", BY_KEYS, (message, tx) -> Effects.add(tx, "lower"))
            .handler("Orders", BY_KEYS, (message, tx) -> Effects.add(tx, "upper"))
            .build();

    inbox.receive(InboxMessage.builder("orders").keys("a").build());
    inbox.receive(InboxMessage.builder("Orders").keys("a").build());

    assertThat(effects().all()).containsExactly("lower", "upper");
  }

  // BC-10
  @Test
  void keepsGroupsApartAlsoThoseThatDifferByCase() {
    for (String name : List.of(group, group.toUpperCase(Locale.ROOT), group + "x")) {
      Inbox inbox =
          Inbox.builder(name, dsl(), dialect()).handler(TOPIC, BY_KEYS, Effects.handler()).build();
      assertThat(inbox.receive(message("a")).isProcessed()).isTrue();
      assertThat(inbox.receive(message("a")).isDuplicate()).isTrue();
    }

    assertThat(effects().all()).containsExactly("a", "a", "a");
  }

  @Test
  void sharesKeysInASharedScope() {
    Inbox inbox =
        builder(dsl())
            .handler("T1", BY_KEYS, Effects.handler(), route -> route.scope("payments"))
            .handler("T2", BY_KEYS, Effects.handler(), route -> route.scope("payments"))
            .build();
    InboxMessage.Builder first = InboxMessage.builder("T1").keys("a").property(Effects.NAME, "a");
    InboxMessage.Builder moved = InboxMessage.builder("T2").keys("a").property(Effects.NAME, "a");

    assertThat(inbox.receive(first.build()).isProcessed()).isTrue();
    assertThat(inbox.receive(moved.build()).isDuplicate()).isTrue();
  }

  @Test
  void ignoresWhatIsNotPartOfTheKey() {
    Inbox inbox = inbox(Effects.handler());
    InboxMessage.Builder copy =
        InboxMessage.builder(TOPIC)
            .keys("a")
            .property(Effects.NAME, "a")
            .tag("other")
            .bornAt(Instant.EPOCH)
            .offset(99)
            .attempt(7);

    inbox.receive(message("a"));

    assertThat(inbox.receive(copy.build()).isDuplicate()).isTrue();
  }

  // A message id is only kept for the record, but what a sender chose must not fail the message.
  @ParameterizedTest
  @MethodSource("trickyKeys")
  void acceptsAnyMessageId(String id) {
    Receipt receipt =
        inbox(Effects.handler())
            .receive(
                InboxMessage.builder(TOPIC)
                    .keys("a")
                    .messageId(id)
                    .property(Effects.NAME, "a")
                    .build());

    assertThat(receipt.isProcessed()).isTrue();
  }

  // BC-42
  @Test
  void refusesAMessageWithoutAUsableKey() {
    assertRefused(message -> Optional.empty(), KeyRefusedException.Reason.MISSING);
    assertRefused(message -> Optional.of(""), KeyRefusedException.Reason.BLANK);
    assertRefused(message -> Optional.of(" \t"), KeyRefusedException.Reason.BLANK);
    assertRefused(
        message -> {
          throw new IllegalStateException("broken");
        },
        KeyRefusedException.Reason.EXTRACTOR_FAILED);
    assertRefused(
        message -> {
          throw new StackOverflowError("broken");
        },
        KeyRefusedException.Reason.EXTRACTOR_FAILED);

    assertThat(effects().count()).isZero();
    assertThat(inboxRows()).isZero();
    assertThat(events.of(InboxEvent.KeyRefused.class)).hasSize(10);
  }

  @Test
  void refusesWithTheNameOfThePropertyThatIsMissing() {
    Inbox inbox =
        builder(dsl()).handler(TOPIC, DedupKeys.property("PAYMENT_ID"), Effects.handler()).build();

    assertThatThrownBy(() -> inbox.receive(message("a")))
        .isInstanceOf(KeyRefusedException.class)
        .hasMessageContaining("property 'PAYMENT_ID'");
  }

  private void assertRefused(DedupKeyExtractor keys, KeyRefusedException.Reason reason) {
    Inbox inbox = builder(dsl()).handler(TOPIC, keys, Effects.handler()).build();
    for (String different : List.of("a", "b")) {
      assertThatThrownBy(() -> inbox.receive(message(different)))
          .isInstanceOfSatisfying(
              KeyRefusedException.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
    }
  }

  private static InboxMessage keyed(String key) {
    return InboxMessage.builder(TOPIC).keys(key).build();
  }
}
