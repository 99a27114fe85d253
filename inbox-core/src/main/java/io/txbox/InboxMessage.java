package io.txbox;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Holds one delivered message as a handler sees it.
 *
 * <p>Immutable and thread-safe; the body is copied on its way in and out. {@link #toString()} names
 * the message and never shows its body or properties.
 */
public final class InboxMessage {
  /** The property under which RocketMQ keeps a message's tag. */
  public static final String TAG_PROPERTY = "TAGS";

  /** The property under which RocketMQ keeps a message's keys. */
  public static final String KEYS_PROPERTY = "KEYS";

  private final String topic;
  private final Map<String, String> properties;
  private final byte[] body;
  private final String messageId;
  private final Instant bornAt;
  private final Instant storedAt;
  private final QueueId queue;
  private final long offset;
  private final int attempt;

  private InboxMessage(Builder builder) {
    topic = builder.topic;
    properties = Map.copyOf(builder.properties);
    body = builder.body;
    messageId = builder.messageId == null ? UUID.randomUUID().toString() : builder.messageId;
    bornAt = builder.bornAt == null ? Instant.now().truncatedTo(ChronoUnit.MILLIS) : builder.bornAt;
    storedAt = builder.storedAt == null ? bornAt : builder.storedAt;
    queue = builder.queue;
    offset = builder.offset;
    attempt = builder.attempt;
  }

  /**
   * Starts a message on a topic. All else is optional: without more it has an empty body, a message
   * id of its own, was born and stored now, and is on its first attempt.
   *
   * @param topic the original topic, without namespace or retry prefix
   * @return a builder, for one thread
   * @throws IllegalArgumentException if the topic is blank
   */
  public static Builder builder(String topic) {
    return new Builder(topic);
  }

  /** Returns the original topic, also for a retry copy. */
  public String topic() {
    return topic;
  }

  /** Returns the tag, if the sender gave one. */
  public Optional<String> tag() {
    return property(TAG_PROPERTY);
  }

  /**
   * Returns the sender's keys as they were sent: RocketMQ separates several by a blank, and keeps
   * trailing ones.
   */
  public Optional<String> keys() {
    return property(KEYS_PROPERTY);
  }

  /** Returns all properties, the client's own among them. */
  public Map<String, String> properties() {
    return properties;
  }

  /** Returns one property, if it is there. */
  public Optional<String> property(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  /** Returns a copy of the body. */
  public byte[] body() {
    return body.clone();
  }

  /**
   * Returns the id that the sender's client gave the message (UNIQ_KEY). Copies made by the broker
   * or by a producer's own retry keep it; a message that was built again has another one, and a
   * {@code Message} object that was used twice gives two messages the same.
   */
  public String messageId() {
    return messageId;
  }

  /** Returns when the send attempt that made this copy began, by the sender's clock. */
  public Instant bornAt() {
    return bornAt;
  }

  /** Returns when the broker stored this copy, by the broker's clock. */
  public Instant storedAt() {
    return storedAt;
  }

  /** Returns the earlier of {@link #bornAt()} and {@link #storedAt()}: the message's age. */
  public Instant messageTime() {
    return bornAt.isBefore(storedAt) ? bornAt : storedAt;
  }

  /** Returns the queue that this copy was read from. */
  public QueueId queue() {
    return queue;
  }

  /** Returns this copy's offset in its queue. */
  public long offset() {
    return offset;
  }

  /** Returns which delivery this is, from 1. */
  public int attempt() {
    return attempt;
  }

  @Override
  public String toString() {
    return topic + " " + messageId + " (" + queue + " @" + offset + ", attempt " + attempt + ")";
  }

  /** Builds an {@link InboxMessage}. Not thread-safe. */
  public static final class Builder {
    private final String topic;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private byte[] body = {};
    private @Nullable String messageId;
    private @Nullable Instant bornAt;
    private @Nullable Instant storedAt;
    private QueueId queue = QueueId.NONE;
    private long offset;
    private int attempt = 1;

    private Builder(String topic) {
      this.topic = Require.text("topic", topic);
    }

    /** Sets the tag. */
    public Builder tag(String tag) {
      return property(TAG_PROPERTY, tag);
    }

    /** Sets the keys. */
    public Builder keys(String keys) {
      return property(KEYS_PROPERTY, keys);
    }

    /** Adds a property, or replaces it. */
    public Builder property(String name, String value) {
      properties.put(
          Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "property " + name));
      return this;
    }

    /** Adds properties, replacing those of the same name. */
    public Builder properties(Map<String, String> more) {
      more.forEach(this::property);
      return this;
    }

    /** Sets the body; it is copied. Default: empty. */
    public Builder body(byte[] body) {
      this.body = body.clone();
      return this;
    }

    /** Sets the message id (UNIQ_KEY). Default: a new one. */
    public Builder messageId(String messageId) {
      this.messageId = Require.text("messageId", messageId);
      return this;
    }

    /** Sets when the message was born. Default: now. */
    public Builder bornAt(Instant bornAt) {
      this.bornAt = Objects.requireNonNull(bornAt, "bornAt");
      return this;
    }

    /** Sets when the broker stored the message. Default: when it was born. */
    public Builder storedAt(Instant storedAt) {
      this.storedAt = Objects.requireNonNull(storedAt, "storedAt");
      return this;
    }

    /** Sets the queue that the message was read from. */
    public Builder queue(QueueId queue) {
      this.queue = Objects.requireNonNull(queue, "queue");
      return this;
    }

    /** Sets the offset in the queue. Default: 0. */
    public Builder offset(long offset) {
      this.offset = offset;
      return this;
    }

    /**
     * Sets which delivery this is. Default: 1.
     *
     * @throws IllegalArgumentException if it is below 1
     */
    public Builder attempt(int attempt) {
      this.attempt = Require.atLeast("attempt", 1, attempt);
      return this;
    }

    /** Builds the message. */
    public InboxMessage build() {
      return new InboxMessage(this);
    }
  }
}
