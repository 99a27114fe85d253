package io.txbox.testkit.contract;

import io.txbox.testkit.broker.BrokerExtension;
import io.txbox.testkit.broker.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What contracts start from whose broker stays up: the one that all test classes share. */
abstract class SharedBrokerContract extends BrokerContract {
  @RegisterExtension static final BrokerExtension BROKER = BrokerExtension.shared();

  @Override
  TestBroker broker() {
    return BROKER.broker();
  }
}
