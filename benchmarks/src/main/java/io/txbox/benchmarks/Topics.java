package io.txbox.benchmarks;

import io.txbox.testkit.broker.TestBroker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** Topics of different lengths, filled when they are first asked for. */
final class Topics {
  private static final int QUEUES = 8;
  private static final String BODY = "x".repeat(200);

  private final TestBroker broker;
  private final Map<Integer, String> topics = new ConcurrentHashMap<>();

  Topics(TestBroker broker) {
    this.broker = broker;
  }

  /** Returns a topic that holds so many messages. */
  String with(int messages) {
    return topics.computeIfAbsent(messages, this::filled);
  }

  private String filled(int messages) {
    String topic = broker.newTopic("bench-" + messages, QUEUES);
    IntStream.range(0, messages)
        .parallel()
        .mapToObj(Payment::new)
        .forEach(
            payment ->
                broker
                    .producer()
                    .message(topic, BODY)
                    .key(payment.id())
                    .queue(payment.number() % QUEUES)
                    .send());
    return topic;
  }
}
