package io.txbox.testkit.broker;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the tests of one class a broker in a JVM of its own, to be killed.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final KillableBrokerExtension broker = KillableBrokerExtension.perClass();
 * }</pre>
 *
 * <p>Test methods may also take a {@link KillableBroker} as a parameter. After each test that
 * killed it, the test starts it again; a class that wants a fresh store for each test starts its
 * brokers by {@link TestBroker#inChildJvm()}.
 */
public final class KillableBrokerExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(KillableBrokerExtension.class);

  private final BrokerSettings settings;
  private volatile @Nullable KillableBroker broker;

  private KillableBrokerExtension(BrokerSettings settings) {
    this.settings = settings;
  }

  /** Returns an extension with default settings. */
  public static KillableBrokerExtension perClass() {
    return perClass(BrokerSettings.defaults());
  }

  /** Returns an extension with these settings. */
  public static KillableBrokerExtension perClass(BrokerSettings settings) {
    return new KillableBrokerExtension(settings);
  }

  /** Returns the broker, which is there while the test class runs. */
  public KillableBroker broker() {
    KillableBroker started = broker;
    if (started == null) {
      throw new IllegalStateException(
          "No broker yet: is the extension registered in a static field, with @RegisterExtension?");
    }
    return started;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    broker =
        context
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(
                this, absent -> TestBroker.inChildJvm(settings), KillableBroker.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == KillableBroker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return broker();
  }
}
