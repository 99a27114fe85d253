package io.txbox.benchmarks;

import io.txbox.testkit.broker.TestBroker;
import io.txbox.testkit.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Measures all cases, round by round, each from the same topics and on empty tables. */
final class Run {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestBroker broker;
  private final CountedConnections connections;
  private final Settings settings;
  private final Tables tables;
  private final Topics topics;
  private final Consumers consumers;

  private Run(TestBroker broker, TestDatabase database, Settings settings) {
    this.broker = broker;
    this.settings = settings;
    Bed bed = Bed.of(broker, database, settings);
    connections = bed.connections();
    tables = bed.tables();
    topics = bed.topics();
    consumers = bed.consumers();
  }

  /**
   * Runs it.
   *
   * @param progress is told of each sample, those of the warm-up too
   * @return the samples that count
   * @throws WrongEffectsException if a case has lost or doubled effects
   */
  static List<Sample> of(
      TestBroker broker, TestDatabase database, Settings settings, Consumer<Sample> progress)
      throws Exception {
    return new Run(broker, database, settings).rounds(progress);
  }

  private List<Sample> rounds(Consumer<Sample> progress) throws Exception {
    List<Sample> samples = new ArrayList<>();
    for (int round = 1 - settings.warmUp(); round <= settings.rounds(); round++) {
      for (Case measured : Case.inOrderOf(round + settings.warmUp(), settings.cases())) {
        Sample sample = sample(round, measured);
        progress.accept(sample);
        if (round > 0) {
          samples.add(sample);
        }
      }
    }
    return samples;
  }

  private Sample sample(int round, Case measured) throws Exception {
    int messages = settings.messagesOf(measured);
    String topic = topics.with(messages);
    String group = broker.newGroup("bench");
    tables.reset(measured.cost(), messages);
    if (measured.arm() == Arm.DUPLICATES) {
      consume(new Case(Arm.INBOX, Cost.NOTHING), topic, group, messages);
      broker.resetOffsets(group, topic, 0);
    }
    Consumed consumed = consume(measured, topic, group, messages);
    tables.check(measured, messages);
    return new Sample(
        round,
        measured,
        messages,
        consumed.elapsed,
        connections.peak(),
        connections.taken(),
        consumed.again);
  }

  private record Consumed(Duration elapsed, int again) {}

  private Consumed consume(Case measured, String topic, String group, int messages)
      throws Exception {
    Meter meter = new Meter(messages, PATIENCE, connections::reset);
    AutoCloseable consumer = consumers.start(measured, topic, group, meter);
    try {
      return new Consumed(meter.await(), meter.endedAgain());
    } catch (IllegalStateException e) {
      throw new IllegalStateException(measured + ": " + e.getMessage(), e);
    } finally {
      consumer.close();
    }
  }
}
