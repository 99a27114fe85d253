package io.txbox.rocketmq;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.constant.PermName;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.route.QueueData;
import org.apache.rocketmq.remoting.protocol.route.TopicRouteData;

/**
 * Where the queues of a topic are that consumers can read.
 *
 * @param queues the number of queues on each master broker that has any
 * @param logical whether consumers know the queues by other names than brokers do, as those of
 *     static topics
 */
record TopicRoute(Map<Master, Integer> queues, boolean logical) {
  static final TopicRoute NONE = new TopicRoute(Map.of(), false);

  /**
   * Reads a name server's answer.
   *
   * @throws MQClientException if the master of a broker is not in it
   */
  static TopicRoute of(TopicRouteData route) throws MQClientException {
    Map<Master, Integer> queues = new LinkedHashMap<>();
    for (QueueData data : route.getQueueDatas()) {
      if (PermName.isReadable(data.getPerm()) && data.getReadQueueNums() > 0) {
        queues.put(master(route, data), data.getReadQueueNums());
      }
    }
    Map<?, ?> mappings = route.getTopicQueueMappingByBroker();
    return new TopicRoute(queues, mappings != null && !mappings.isEmpty());
  }

  private static Master master(TopicRouteData route, QueueData queues) throws MQClientException {
    String name = queues.getBrokerName();
    for (BrokerData broker : route.getBrokerDatas()) {
      String address = broker.getBrokerAddrs().get(MixAll.MASTER_ID);
      if (broker.getBrokerName().equals(name) && address != null && !isActing(broker, queues)) {
        return new Master(name, address);
      }
    }
    throw new MQClientException("The name server knows no master of broker " + name, null);
  }

  /**
   * A slave in its master's place, which name servers show as a master that nothing can be sent to.
   * It may lack messages that the master has stored.
   */
  private static boolean isActing(BrokerData broker, QueueData queues) {
    return broker.isEnableActingMaster() && !PermName.isWriteable(queues.getPerm());
  }
}
