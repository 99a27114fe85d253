package io.txbox.benchmarks;

import io.txbox.DedupKeyExtractor;
import io.txbox.DedupKeys;
import io.txbox.InboxMessage;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.rocketmq.Subscription;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.jooq.DSLContext;

/**
 * Starts a consumer for each arm.
 *
 * @param nameServer where the broker is found
 * @param dsl on a pool of {@link Settings#THREADS} connections
 */
record Consumers(String nameServer, DSLContext dsl, Settings settings) {
  /** Without rows there are no claims that could be given up when the time is over. */
  private static final Duration ALWAYS_ENOUGH = Duration.ofMinutes(1);

  /** Starts the consumer of an arm, on a topic that is there, from its beginning. */
  AutoCloseable start(Case measured, String topic, String group, Meter meter)
      throws MQClientException {
    Cost cost = measured.cost();
    return switch (measured.arm()) {
      case PLAIN -> plain(topic, group, Settings.THREADS, meter, payment -> pay(payment, cost));
      case PLAIN_NARROW ->
          plain(topic, group, settings.laneConnections(), meter, payment -> pay(payment, cost));
      case STATUS_TABLE ->
          plain(topic, group, Settings.THREADS, meter, new StatusTable(dsl, cost)::consume);
      case PLAIN_LANES ->
          inLanes(
              builder(group, new NoInboxDialect(settings.database().store()), meter)
                  .batchTime(ALWAYS_ENOUGH),
              topic,
              cost,
              meter);
      case INBOX_OFF ->
          started(
              builder(group, settings.database().store(), meter)
                  .lanes(Settings.THREADS)
                  .maxBatch(1)
                  .subscribe(topic, keys(meter), (message, tx) -> of(message).handle(cost, tx)));
      case INBOX, DUPLICATES ->
          inLanes(builder(group, settings.database().store(), meter), topic, cost, meter);
      case INBOX_BATCH ->
          started(
              lanes(builder(group, settings.database().store(), meter))
                  .subscribeBatch(
                      topic,
                      keys(meter),
                      (messages, tx) ->
                          Payment.handleAll(
                              messages.stream().map(Consumers::of).toList(),
                              cost,
                              settings.database(),
                              tx),
                      ordered(cost)));
    };
  }

  /**
   * Starts a consumer with lanes that leaves the purge to a janitor beside it, at the cost of two
   * statements.
   *
   * @param rename makes other keys of the messages' own, all over the index of keys
   */
  InboxConsumer besideAJanitor(
      String topic, String group, UnaryOperator<String> rename, Meter meter) {
    DedupKeyExtractor keys = keys(meter);
    return started(
        lanes(builder(group, settings.database().store(), meter))
            .withoutJanitor()
            .subscribe(
                topic,
                message -> keys.extract(message).map(rename),
                (message, tx) -> of(message).handle(Cost.STATEMENTS, tx),
                ordered(Cost.STATEMENTS)));
  }

  private void pay(Payment payment, Cost cost) {
    dsl.transaction(tx -> payment.handle(cost, tx.dsl()));
  }

  private PlainConsumer plain(
      String topic, String group, int threads, Meter meter, Consumer<Payment> consume)
      throws MQClientException {
    return PlainConsumer.start(
        nameServer,
        topic,
        group,
        threads,
        message -> {
          meter.came();
          Payment payment = Payment.of(message.getKeys());
          consume.accept(payment);
          meter.ended(payment);
        });
  }

  private InboxConsumer inLanes(
      InboxConsumer.Builder builder, String topic, Cost cost, Meter meter) {
    return started(
        lanes(builder)
            .subscribe(
                topic, keys(meter), (message, tx) -> of(message).handle(cost, tx), ordered(cost)));
  }

  private InboxConsumer.Builder builder(String group, StoreDialect dialect, Meter meter) {
    return InboxConsumer.builder(group, dsl, dialect)
        .nameServer(nameServer)
        .customize(client -> client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET))
        .listener(
            event -> {
              if (event instanceof InboxEvent.Processed processed) {
                meter.ended(of(processed.message()));
              } else if (event instanceof InboxEvent.Duplicate duplicate) {
                meter.ended(of(duplicate.message()));
              }
            });
  }

  private InboxConsumer.Builder lanes(InboxConsumer.Builder builder) {
    if (settings.lanes() != null) {
      builder.lanes(settings.lanes());
    }
    return settings.batch() == null ? builder : builder.maxBatch(settings.batch());
  }

  /** Lets lanes not wait for each other, where messages contend for rows. */
  private static Consumer<Subscription> ordered(Cost cost) {
    return subscription -> {
      if (cost == Cost.STATEMENTS) {
        subscription.orderingKey(
            message -> Optional.of(Integer.toString(of(message).account(cost))));
      }
    };
  }

  private static DedupKeyExtractor keys(Meter meter) {
    DedupKeyExtractor keys = DedupKeys.keys();
    return message -> {
      meter.came();
      return keys.extract(message);
    };
  }

  private static Payment of(InboxMessage message) {
    return Payment.of(message.keys().orElseThrow());
  }

  private static InboxConsumer started(InboxConsumer.Builder builder) {
    InboxConsumer consumer = builder.build();
    consumer.start();
    return consumer;
  }
}
