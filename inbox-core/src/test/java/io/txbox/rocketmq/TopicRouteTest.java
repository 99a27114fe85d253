package io.txbox.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.constant.PermName;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.route.QueueData;
import org.apache.rocketmq.remoting.protocol.route.TopicRouteData;
import org.apache.rocketmq.remoting.protocol.statictopic.TopicQueueMappingInfo;
import org.junit.jupiter.api.Test;

class TopicRouteTest {
  private static final int READ_WRITE = PermName.PERM_READ | PermName.PERM_WRITE;

  private final TopicRouteData answer = new TopicRouteData();

  TopicRouteTest() {
    answer.setBrokerDatas(new ArrayList<>());
    answer.setQueueDatas(new ArrayList<>());
  }

  @Test
  void hasTheMastersWithQueuesThatCanBeRead() throws Exception {
    broker("a", 0, 1);
    broker("b", 0);
    broker("c", 0);
    queues("a", 4, READ_WRITE);
    queues("b", 2, PermName.PERM_READ);
    queues("c", 2, PermName.PERM_WRITE);

    TopicRoute route = TopicRoute.of(answer);

    assertThat(route.queues())
        .isEqualTo(Map.of(new Master("a", "a:0"), 4, new Master("b", "b:0"), 2));
    assertThat(route.logical()).isFalse();
  }

  @Test
  void refusesABrokerOfWhichOnlyASlaveIsLeft() {
    broker("a", 0);
    broker("b", 1);
    queues("a", 4, READ_WRITE);
    queues("b", 4, READ_WRITE);

    assertThatThrownBy(() -> TopicRoute.of(answer))
        .isInstanceOf(MQClientException.class)
        .hasMessageContaining("no master of broker b");
  }

  @Test
  void refusesASlaveThatActsAsMaster() throws Exception {
    broker("a", 0).setEnableActingMaster(true);
    queues("a", 4, READ_WRITE);
    assertThat(TopicRoute.of(answer).queues()).hasSize(1);

    answer.getQueueDatas().get(0).setPerm(PermName.PERM_READ);

    assertThatThrownBy(() -> TopicRoute.of(answer)).hasMessageContaining("no master of broker a");
  }

  @Test
  void tellsAStaticTopic() throws Exception {
    broker("a", 0);
    queues("a", 4, READ_WRITE);
    answer.setTopicQueueMappingByBroker(Map.of("a", new TopicQueueMappingInfo()));

    assertThat(TopicRoute.of(answer).logical()).isTrue();
  }

  private BrokerData broker(String name, long... ids) {
    HashMap<Long, String> addresses = new HashMap<>();
    for (long id : ids) {
      addresses.put(id, name + ":" + id);
    }
    BrokerData broker = new BrokerData("cluster", name, addresses);
    answer.getBrokerDatas().add(broker);
    return broker;
  }

  private void queues(String broker, int number, int permission) {
    QueueData queues = new QueueData();
    queues.setBrokerName(broker);
    queues.setReadQueueNums(number);
    queues.setPerm(permission);
    List<QueueData> all = answer.getQueueDatas();
    all.add(queues);
  }
}
