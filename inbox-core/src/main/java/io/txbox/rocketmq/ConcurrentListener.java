package io.txbox.rocketmq;

import io.txbox.rocketmq.Intake.Outcome;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumes in any order. What fails is sent back to the broker and comes again, delayed. */
final class ConcurrentListener implements MessageListenerConcurrently {
  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  private final DefaultMQPushConsumer client;
  private final Intake intake;

  ConcurrentListener(DefaultMQPushConsumer client, Intake intake) {
    this.client = client;
    this.intake = intake;
  }

  @Override
  public ConsumeConcurrentlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    List<Outcome> outcomes = intake.take(messages);
    if (!outcomes.contains(Outcome.RETRY)) {
      return ConsumeConcurrentlyStatus.CONSUME_SUCCESS; // Not looked at for what is held.
    }
    if (!outcomes.contains(Outcome.ACKNOWLEDGE)) {
      return ConsumeConcurrentlyStatus.RECONSUME_LATER;
    }
    for (int i = 0; i < messages.size(); i++) {
      if (outcomes.get(i) == Outcome.RETRY && !sendBack(messages.get(i), context)) {
        // It takes all of them back; those that are done come again as duplicates.
        return ConsumeConcurrentlyStatus.RECONSUME_LATER;
      }
    }
    return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
  }

  /** Sends one message back, as the client does with all of them on RECONSUME_LATER. */
  @SuppressWarnings("deprecation") // There is no other way to send back one.
  private boolean sendBack(MessageExt message, ConsumeConcurrentlyContext context) {
    try {
      client.sendMessageBack(
          message,
          context.getDelayLevelWhenNextConsume(),
          context.getMessageQueue().getBrokerName());
      return true;
    } catch (RemotingException | MQBrokerException | MQClientException e) {
      log.warn("{} could not be sent back to its broker: {}", message.getMsgId(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }
}
