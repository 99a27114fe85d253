package io.txbox.rocketmq;

import io.txbox.rocketmq.Intake.Outcome;
import java.util.List;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;

/** Consumes each queue in order. What fails holds up its queue until it comes through. */
final class OrderlyListener implements MessageListenerOrderly {
  private final Intake intake;

  OrderlyListener(Intake intake) {
    this.intake = intake;
  }

  @Override
  public ConsumeOrderlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeOrderlyContext context) {
    for (MessageExt message : messages) {
      Outcome outcome = intake.take(message);
      if (outcome == Outcome.RETRY) {
        return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
      }
      if (outcome == Outcome.HELD) {
        // With auto-commit off the client does nothing on SUCCESS: no offset, no copy, no retry.
        context.setAutoCommit(false);
        return ConsumeOrderlyStatus.SUCCESS;
      }
    }
    return ConsumeOrderlyStatus.SUCCESS;
  }
}
