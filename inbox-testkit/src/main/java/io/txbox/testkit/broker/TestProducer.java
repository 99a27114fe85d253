package io.txbox.testkit.broker;

import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.Message;

/**
 * Sends messages as a well-behaved sender never would: with a born time and a message id of the
 * test's choice, to a queue of its choice.
 *
 * <p>Thread-safe.
 */
public final class TestProducer implements AutoCloseable {

  private final DefaultMQProducer producer;

  private TestProducer(DefaultMQProducer producer) {
    this.producer = producer;
  }

  /** Connects to the broker. */
  public static TestProducer connect(TestBroker broker) {
    return connect(broker.nameServer());
  }

  /** Connects to the brokers that this name server knows, or a proxy before it. */
  public static TestProducer connect(String nameServer) {
    DefaultMQProducer producer = new DefaultMQProducer("testkit-producer", new BornTimeHook());
    producer.setNamesrvAddr(nameServer);
    producer.setInstanceName("testkit-" + System.nanoTime());
    producer.setSendMsgTimeout(10_000);
    producer.setPollNameServerInterval(1_000);
    try {
      producer.start();
    } catch (MQClientException e) {
      throw new IllegalStateException("No producer for " + nameServer, e);
    }
    return new TestProducer(producer);
  }

  /** Begins a message; {@link ForgedMessage#send} sends it. */
  public ForgedMessage message(String topic, byte[] body) {
    return new ForgedMessage(producer, new Message(topic, body));
  }

  /** Begins a message with a text in UTF-8 as its body. */
  public ForgedMessage message(String topic, String body) {
    return message(topic, body.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    producer.shutdown();
  }
}
