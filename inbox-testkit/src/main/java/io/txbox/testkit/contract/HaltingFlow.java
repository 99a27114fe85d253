package io.txbox.testkit.contract;

import static org.awaitility.Awaitility.await;

import io.txbox.DedupKeyExtractor;
import io.txbox.InboxHandler;
import io.txbox.inbox.InboxEvent;
import io.txbox.inbox.InboxListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.hook.ConsumeMessageContext;
import org.apache.rocketmq.client.hook.ConsumeMessageHook;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** What a consumer is built from, such that a {@link Halt} can stop it at each step. */
final class HaltingFlow implements InboxListener, ConsumeMessageHook {
  private final Halt halt;
  private final String topic;
  private @Nullable DefaultMQPushConsumerImpl client;
  private volatile @Nullable MessageQueue queue;

  HaltingFlow(Halt halt, String topic) {
    this.halt = halt;
    this.topic = topic;
  }

  DSLContext transactions(DSLContext dsl) {
    Configuration configuration = dsl.configuration();
    return configuration
        .derive(new HaltingTransactions(configuration.transactionProvider(), halt))
        .dsl();
  }

  /** The key is the first thing that the inbox asks for. */
  DedupKeyExtractor keys() {
    return message -> {
      halt.at(FlowStep.RECEIVED);
      return DatabaseContract.BY_KEYS.extract(message);
    };
  }

  /** The time is asked for a new scope's row, and then for the inbox row. */
  InstantSource clock() {
    return () -> {
      halt.atIfAfter(FlowStep.SCOPE_INSERTED, FlowStep.SCOPE_COMMITTED);
      halt.atIfAfter(FlowStep.RECEIVED, FlowStep.SCOPE_MISSING);
      return Instant.now();
    };
  }

  InboxHandler handler() {
    InboxHandler effects = Effects.handler(() -> halt.at(FlowStep.BETWEEN_STATEMENTS));
    return (message, tx) -> {
      halt.at(FlowStep.HANDLER_CALLED);
      effects.handle(message, tx);
      halt.at(FlowStep.STATEMENTS_DONE);
    };
  }

  @Override
  public void on(InboxEvent event) {
    halt.at(FlowStep.LISTENER_TOLD);
  }

  /** Looks at what becomes of the answer; takes no part if nothing is to be stopped. */
  @SuppressWarnings("deprecation") // The client has no other way to be watched.
  void watch(DefaultMQPushConsumer consumer) {
    if (halt.wanted() != null) {
      client = consumer.getDefaultMQPushConsumerImpl();
      client.registerConsumeMessageHook(this);
      if (halt.wanted() != FlowStep.ACKNOWLEDGED) {
        // At the worst moment: an acknowledgement that came too early would be kept.
        halt.beforeHalt(client::persistConsumerOffset);
      }
    }
  }

  @Override
  public String hookName() {
    return "halt";
  }

  @Override
  public void consumeMessageBefore(ConsumeMessageContext context) {
    // The next pull would take the offset to the broker.
    client().suspend();
  }

  @Override
  public void consumeMessageAfter(ConsumeMessageContext context) {
    halt.at(FlowStep.ANSWERED);
    queue = context.getMq();
  }

  /** Waits for the acknowledgement, in a thread of its own, if that is wanted. */
  void start() {
    FlowStep wanted = halt.wanted();
    if (wanted != null && wanted.compareTo(FlowStep.ACKNOWLEDGED) >= 0) {
      Thread thread = new Thread(this::awaitAcknowledgement, topic + "-acknowledgement");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void awaitAcknowledgement() {
    OffsetStore offsets = client().getOffsetStore();
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> queue != null && offsets.readOffset(queue, ReadOffsetType.READ_FROM_MEMORY) == 1);
    halt.at(Objects.requireNonNull(halt.wanted()));
  }

  private DefaultMQPushConsumerImpl client() {
    return Objects.requireNonNull(client, "not watched");
  }
}
