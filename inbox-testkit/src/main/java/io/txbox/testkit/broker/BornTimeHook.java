package io.txbox.testkit.broker;

import java.util.Map;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.remoting.CommandCustomHeader;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.header.SendMessageRequestHeaderV2;

/**
 * Writes a message's wanted born time into the request that carries it: the client stamps the time
 * of each attempt over whatever the message says. A property brings it here, and is taken out.
 */
final class BornTimeHook implements RPCHook {

  static final String MARK = "TESTKIT_BORN_AT";

  @Override
  public void doBeforeRequest(String remoteAddress, RemotingCommand request) {
    CommandCustomHeader header = request.readCustomHeader();
    if (!(header instanceof SendMessageRequestHeaderV2 send)) {
      return;
    }
    Map<String, String> properties = MessageDecoder.string2messageProperties(send.getI());
    String bornAt = properties.remove(MARK);
    if (bornAt != null) {
      send.setG(Long.valueOf(bornAt));
      send.setI(MessageDecoder.messageProperties2String(properties));
    }
  }

  @Override
  public void doAfterResponse(
      String remoteAddress, RemotingCommand request, RemotingCommand response) {}
}
