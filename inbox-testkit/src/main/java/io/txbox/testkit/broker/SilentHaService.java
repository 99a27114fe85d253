package io.txbox.testkit.broker;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.ha.DefaultHAService;
import org.apache.rocketmq.store.ha.HAConnection;

/**
 * Replicates to nobody and listens nowhere.
 *
 * <p>RocketMQ's own replication service binds its port to all interfaces, and no setting changes
 * that. RocketMQ loads this class by name, through {@code META-INF/service}; it is of no use to a
 * test.
 */
public final class SilentHaService extends DefaultHAService {

  /** Called by RocketMQ. */
  public SilentHaService() {}

  @Override
  public void init(DefaultMessageStore store) throws IOException {
    super.init(store);
    acceptSocketService = new DeafSocketService(store.getMessageStoreConfig());
  }

  private final class DeafSocketService extends AcceptSocketService {

    DeafSocketService(MessageStoreConfig config) {
      super(config);
    }

    @Override
    public void beginAccept() {}

    @Override
    public void start() {}

    @Override
    protected HAConnection createConnection(SocketChannel channel) {
      throw new UnsupportedOperationException("Nobody can have connected to " + channel);
    }

    @Override
    public String getServiceName() {
      return "DeafSocketService";
    }
  }
}
