package io.txbox.rocketmq;

import io.txbox.rocketmq.Intake.Outcome;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/** Consumes each queue in order. What fails holds up its queue until it comes through. */
final class OrderlyListener implements MessageListenerOrderly {
  private final DefaultMQPushConsumer client;
  private final Intake intake;
  private final int batch;
  private final Set<MessageQueue> failing = ConcurrentHashMap.newKeySet();

  OrderlyListener(DefaultMQPushConsumer client, Intake intake) {
    this.client = client;
    this.intake = intake;
    this.batch = client.getConsumeMessageBatchMaxSize();
  }

  @Override
  public ConsumeOrderlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeOrderlyContext context) {
    forgetOthersQueues();
    MessageQueue queue = context.getMessageQueue();
    List<Outcome> outcomes = intake.takeInOrder(queue.toString(), messages);
    if (outcomes.contains(Outcome.HELD)) {
      // With auto-commit off the client does nothing on SUCCESS: no offset, no copy, no retry.
      context.setAutoCommit(false);
      return ConsumeOrderlyStatus.SUCCESS;
    }
    int failed = outcomes.indexOf(Outcome.RETRY);
    if (failed < 0) {
      watch(failing.remove(queue));
      return ConsumeOrderlyStatus.SUCCESS;
    }
    if (failed > 0) {
      watch(failing.add(queue));
    }
    countOnlyFor(failed, messages);
    return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
  }

  /** A queue that another instance has now is no longer this one's to watch. */
  @SuppressWarnings("deprecation") // There is no other way to know which queues are this one's.
  private void forgetOthersQueues() {
    if (!failing.isEmpty()) {
      Set<MessageQueue> own =
          client.getDefaultMQPushConsumerImpl().getRebalanceImpl().getProcessQueueTable().keySet();
      watch(failing.retainAll(own));
    }
  }

  /**
   * The client acknowledges a list as a whole. So that a queue's offset comes up to the message
   * that fails, it is asked for single messages until one has gone through.
   */
  private void watch(boolean changed) {
    if (changed) {
      client.setConsumeMessageBatchMaxSize(failing.isEmpty() ? batch : 1);
    }
  }

  /** The client counts an attempt for each message of the list; only one has failed. */
  private static void countOnlyFor(int failed, List<MessageExt> messages) {
    for (int i = 0; i < messages.size(); i++) {
      if (i != failed) {
        MessageExt message = messages.get(i);
        message.setReconsumeTimes(message.getReconsumeTimes() - 1);
      }
    }
  }
}
