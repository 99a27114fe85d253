package io.txbox.testkit.broker;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the tests of a class a broker.
 *
 * <pre>{@code
 * @RegisterExtension static final BrokerExtension broker = BrokerExtension.shared();
 *
 * String topic = broker.newTopic("orders", 4);
 * }</pre>
 *
 * <p>Test methods may also take a {@link TestBroker} as a parameter.
 */
public final class BrokerExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(BrokerExtension.class);

  private final boolean shared;
  private final Supplier<? extends TestBroker> start;
  private volatile @Nullable TestBroker broker;

  private BrokerExtension(boolean shared, Supplier<? extends TestBroker> start) {
    this.shared = shared;
    this.start = start;
  }

  /**
   * Returns an extension for the one broker in this JVM that all test classes share. It starts when
   * the first class needs it and ends after the last test.
   */
  public static BrokerExtension shared() {
    return new BrokerExtension(true, TestBroker::inJvm);
  }

  /** Returns an extension for a broker in this JVM, with its own settings, for this class only. */
  public static BrokerExtension own(BrokerSettings settings) {
    return new BrokerExtension(false, () -> TestBroker.inJvm(settings));
  }

  /** Creates a topic that nobody else has, and returns its name once clients can use it. */
  public String newTopic(String prefix, int queues) {
    return broker().newTopic(prefix, queues);
  }

  /** Returns the name of a consumer group that nobody else has. */
  public String newGroup(String prefix) {
    return broker().newGroup(prefix);
  }

  /** Returns the name server's address. */
  public String nameServer() {
    return broker().nameServer();
  }

  /** Returns the broker, which is there while a test class runs. */
  public TestBroker broker() {
    TestBroker started = broker;
    if (started == null) {
      throw new IllegalStateException(
          "No broker yet: is the extension registered in a static field, with @RegisterExtension?");
    }
    return started;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // The store closes what it holds; a nested class finds what its outer class has.
    ExtensionContext.Store store = (shared ? context.getRoot() : context).getStore(NAMESPACE);
    Object key = shared ? NAMESPACE : this;
    broker = store.getOrComputeIfAbsent(key, absent -> start.get(), TestBroker.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestBroker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return broker();
  }
}
