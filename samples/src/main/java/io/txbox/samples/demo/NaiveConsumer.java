package io.txbox.samples.demo;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.SQLDataType.VARCHAR;

import io.txbox.InboxMessage;
import io.txbox.QueueId;
import io.txbox.samples.demo.Event.Outcome;
import java.util.List;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;

/**
 * What people write: RocketMQ's listener, the same handlers, a transaction for each message. With
 * the usual dedup or without.
 */
final class NaiveConsumer implements MessageListenerConcurrently {
  private static final Table<?> HANDLED = table(name("handled_message"));
  private static final Field<String> ID = field(name("id"), VARCHAR);

  private final DSLContext dsl;
  private final boolean dedupByMessageId;
  private final Consumer<Event> reports;

  NaiveConsumer(DSLContext dsl, boolean dedupByMessageId, Consumer<Event> reports) {
    this.dsl = dsl;
    this.dedupByMessageId = dedupByMessageId;
    this.reports = reports;
  }

  DefaultMQPushConsumer start(String nameServer) {
    DefaultMQPushConsumer client = new DefaultMQPushConsumer(InstanceMain.GROUP);
    client.setNamesrvAddr(nameServer);
    client.setConsumeThreadMin(InstanceMain.LANES);
    client.setConsumeThreadMax(InstanceMain.LANES);
    // A new group's retry topic is found by this poll, after 30 s by default.
    client.setPollNameServerInterval(1_000);
    // By default shutdown() interrupts the handlers that run.
    client.setAwaitTerminationMillisWhenShutdown(5_000);
    InstanceMain.customize(client);
    client.setMessageListener(this);
    try {
      for (Topic topic : Topic.values()) {
        client.subscribe(topic.name(), "*");
      }
      client.start();
      return client;
    } catch (MQClientException e) {
      throw new IllegalStateException("No consumer at " + nameServer, e);
    }
  }

  @Override
  public ConsumeConcurrentlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    InboxMessage message = received(messages.get(0));
    Outcome outcome = handle(message);
    reports.accept(Event.of(outcome, message));
    return outcome == Outcome.FAILED
        ? ConsumeConcurrentlyStatus.RECONSUME_LATER
        : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
  }

  private Outcome handle(InboxMessage message) {
    try {
      if (dedupByMessageId && !note(message.messageId())) {
        return Outcome.SKIPPED;
      }
      Topic topic = Topic.valueOf(message.topic());
      dsl.transaction(transaction -> topic.handler().handle(message, transaction.dsl()));
      return Outcome.PROCESSED;
    } catch (RuntimeException e) {
      return Outcome.FAILED;
    }
  }

  /** Notes a message id and commits; says no if it was there. */
  private boolean note(String messageId) {
    return dsl.insertInto(HANDLED, ID).values(messageId).onConflictDoNothing().execute() == 1;
  }

  private static InboxMessage received(MessageExt message) {
    return InboxMessage.builder(message.getTopic())
        .properties(message.getProperties())
        .body(message.getBody())
        .messageId(message.getMsgId())
        .queue(new QueueId(message.getBrokerName(), message.getQueueId()))
        .offset(message.getQueueOffset())
        .attempt(message.getReconsumeTimes() + 1)
        .build();
  }
}
