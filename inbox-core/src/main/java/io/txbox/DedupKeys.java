package io.txbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The usual {@link DedupKeyExtractor}s. All are thread-safe. */
public final class DedupKeys {
  /** The property in which txbox's outbox sends the id of the outbox row. */
  public static final String OUTBOX_ID_PROPERTY = "TXBOX_OUTBOX_ID";

  private DedupKeys() {}

  /**
   * Takes the key from a property that the sender sets, such as {@code BIZ_ID}.
   *
   * @throws IllegalArgumentException if the name is blank
   */
  public static DedupKeyExtractor property(String name) {
    Require.text("property name", name);
    return new Named("property '" + name + "'", message -> message.property(name));
  }

  /** Takes the message's KEYS as the key: all of them, as one text. */
  public static DedupKeyExtractor keys() {
    return new Named("KEYS", InboxMessage::keys);
  }

  /**
   * Takes the id that txbox's outbox gave the message. It is the same at every attempt to send, so
   * it is the key of choice for what an outbox sent.
   */
  public static DedupKeyExtractor outboxId() {
    return property(OUTBOX_ID_PROPERTY);
  }

  /**
   * Takes the message id (UNIQ_KEY). It recognises copies that the broker or the producer's client
   * made, and <em>not</em> a message that the sender's code sent again: that has a new id. A {@code
   * Message} object that is used for two messages, or copied properties, give both the same id, and
   * the second is taken for a copy. Choose a business id where there is one.
   */
  public static DedupKeyExtractor messageId() {
    return new Named("message id", message -> Optional.of(message.messageId()));
  }

  /**
   * Joins several keys into one, unambiguously: different parts never give the same key. A message
   * that lacks one of the parts, or has a blank one, has no key.
   *
   * @throws IllegalArgumentException if there are fewer than two parts
   */
  public static DedupKeyExtractor composite(DedupKeyExtractor... parts) {
    List<DedupKeyExtractor> all = atLeastTwo("composite", parts);
    DedupKeyExtractor composite =
        message -> {
          List<String> values = new ArrayList<>(all.size());
          for (DedupKeyExtractor part : all) {
            Optional<String> value = usable(part, message);
            if (value.isEmpty()) {
              return Optional.empty();
            }
            values.add(value.get().replace("\\", "\\\\").replace("|", "\\|"));
          }
          return Optional.of(String.join("|", values));
        };
    return new Named("composite of " + all, composite);
  }

  /**
   * Takes the first key that the message has. A key found by one extractor equals the same text
   * found by another one.
   *
   * @throws IllegalArgumentException if there are fewer than two
   */
  public static DedupKeyExtractor firstOf(DedupKeyExtractor... candidates) {
    List<DedupKeyExtractor> all = atLeastTwo("firstOf", candidates);
    return new Named(
        "first of " + all,
        message ->
            all.stream().flatMap(candidate -> usable(candidate, message).stream()).findFirst());
  }

  private static Optional<String> usable(DedupKeyExtractor extractor, InboxMessage message) {
    return Objects.requireNonNull(extractor.extract(message), "an extractor returned null")
        .filter(value -> !value.isBlank());
  }

  private static List<DedupKeyExtractor> atLeastTwo(String name, DedupKeyExtractor... extractors) {
    Require.atLeast("number of extractors of " + name, 2, extractors.length);
    return List.of(extractors);
  }

  /** Says in messages what it looks for. */
  private record Named(String name, DedupKeyExtractor extractor) implements DedupKeyExtractor {
    @Override
    public Optional<String> extract(InboxMessage message) {
      return extractor.extract(message);
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
