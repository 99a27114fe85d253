package io.txbox.rocketmq;

import io.txbox.rocketmq.Intake.Outcome;
import java.util.List;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.message.MessageExt;

/** Consumes in any order. What fails is sent back to the broker and comes again, delayed. */
final class ConcurrentListener implements MessageListenerConcurrently {
  private final Intake intake;

  ConcurrentListener(Intake intake) {
    this.intake = intake;
  }

  @Override
  public ConsumeConcurrentlyStatus consumeMessage(
      List<MessageExt> messages, ConsumeConcurrentlyContext context) {
    boolean all = messages.stream().map(intake::take).allMatch(Outcome.ACKNOWLEDGE::equals);
    return all
        ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS
        : ConsumeConcurrentlyStatus.RECONSUME_LATER;
  }
}
