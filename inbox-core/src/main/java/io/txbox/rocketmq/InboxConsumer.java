package io.txbox.rocketmq;

import io.txbox.BatchInboxHandler;
import io.txbox.DedupKeyExtractor;
import io.txbox.InboxHandler;
import io.txbox.SetupException;
import io.txbox.inbox.Inbox;
import io.txbox.inbox.InboxLanes;
import io.txbox.inbox.InboxListener;
import io.txbox.internal.Require;
import io.txbox.internal.database.ConnectionProbe;
import io.txbox.internal.lane.LaneSettings;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.JanitorHealth;
import io.txbox.janitor.JanitorListener;
import io.txbox.janitor.Retention;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.remoting.RPCHook;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes topics of RocketMQ such that each message has its effect exactly once: a message is
 * acknowledged only after the transaction that holds its effects and its inbox row has committed,
 * or after such a row was seen.
 *
 * <p>What fails is delivered again by the broker, with RocketMQ's delays and limit. Thread-safe.
 * {@link #close()} must be called to drain.
 */
public final class InboxConsumer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  private final String consumerGroup;
  private final DSLContext dsl;
  private final StoreDialect dialect;
  private final Inbox inbox;
  private final List<Subscription> subscriptions;
  private final boolean orderly;
  private final LaneSettings lanes;
  private final Duration drain;
  private final @Nullable RPCHook rpcHook;
  private final List<Consumer<DefaultMQPushConsumer>> customizers;
  private final JanitorSettings janitor;
  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
  private @Nullable Running running;

  private InboxConsumer(Builder builder) {
    consumerGroup = builder.consumerGroup;
    dsl = builder.dsl;
    inbox = builder.inbox.build();
    subscriptions = List.copyOf(builder.subscriptions.values());
    orderly = builder.orderly;
    lanes = builder.lanes;
    drain = builder.drain;
    rpcHook = builder.rpcHook;
    customizers = List.copyOf(builder.customizers);
    janitor = builder.janitor;
    dialect = builder.dialect;
  }

  private enum State {
    NEW,
    RUNNING,
    STOPPING,
    STOPPED
  }

  private record Consuming(Intake intake, InboxLanes lanes) {}

  private record Running(
      DefaultMQPushConsumer client, Consuming consuming, Optional<Janitor> janitor) {}

  /**
   * Starts a consumer.
   *
   * @param consumerGroup the consumer group; all its instances use one database
   * @param dsl takes its connections from a pool, one for each lane at a time, and one for moments
   *     for the janitor inside
   * @param dialect the database's dialect
   * @return a builder, for one thread
   * @throws IllegalArgumentException if the group is blank, or {@code dsl} holds a single
   *     connection, or is for another database than the dialect
   */
  public static Builder builder(String consumerGroup, DSLContext dsl, StoreDialect dialect) {
    return new Builder(consumerGroup, dsl, dialect);
  }

  /**
   * Checks that all is as it must be, and begins to consume.
   *
   * @throws SetupException if the database, its schema, the pool, the client's settings or the
   *     consumer group are not fit, with what to do; nothing runs then
   * @throws IllegalStateException if it was started or closed before
   */
  public synchronized void start() {
    if (!state.compareAndSet(State.NEW, State.RUNNING)) {
      throw new IllegalStateException(
          "A consumer can be started once, but it is " + state.get() + ": build a new one");
    }
    try {
      running = begin();
      log.info("{} - Consumes {} in up to {} lanes", consumerGroup, inbox.topics(), lanes.lanes());
    } catch (RuntimeException e) {
      state.set(State.STOPPED);
      throw e;
    }
  }

  private Running begin() {
    inbox.check();
    ConnectionProbe.requireLanes(dsl, dialect, lanes.lanes(), consumerGroup);
    DefaultMQPushConsumer client = ClientSetup.client(consumerGroup, lanes, rpcHook);
    customizers.forEach(customizer -> customizer.accept(client));
    ClientSetup.check(client, consumerGroup, orderly, subscriptions);
    ClientSetup.checkGroup(client, rpcHook, inbox.topics());

    Optional<Janitor> purging =
        janitor.janitor(
            consumerGroup,
            dsl,
            dialect,
            RocketMqProgress.of(client, rpcHook, inbox.topics(), janitor.clock()));
    try {
      purging.ifPresent(Janitor::start);
      return new Running(client, consume(client), purging);
    } catch (RuntimeException e) {
      purging.ifPresent(Janitor::close);
      throw e;
    }
  }

  private Consuming consume(DefaultMQPushConsumer client) {
    InboxLanes workers = new InboxLanes(consumerGroup, inbox, lanes);
    Intake intake = new Intake(consumerGroup, workers, ClientSetup.lastAttempt(client, orderly));
    if (orderly) {
      client.setMessageListener(new OrderlyListener(client, intake));
    } else {
      client.setMessageListener(new ConcurrentListener(client, intake));
    }
    try {
      for (Subscription subscription : subscriptions) {
        client.subscribe(subscription.topic(), subscription.tags());
      }
      client.start();
    } catch (MQClientException | RuntimeException e) {
      intake.close();
      intake.release();
      client.shutdown();
      workers.close();
      throw new SetupException(
          "RocketMQ's client did not start with the name server '"
              + client.getNamesrvAddr()
              + "': "
              + e.getMessage(),
          e);
    }
    return new Consuming(intake, workers);
  }

  /**
   * Stops: takes no more messages, lets those in flight end for as long as the drain time, then
   * interrupts them, and stores the offsets last. What was not acknowledged comes again.
   * Idempotent, and legal before {@link #start()}.
   */
  @Override
  public synchronized void close() {
    if (state.getAndSet(State.STOPPING) == State.RUNNING && running != null) {
      stop(running);
      log.info("{} - Stopped", consumerGroup);
    }
    running = null;
    state.set(State.STOPPED);
  }

  /**
   * Takes up no further message until {@link #resume()}. What a lane has taken up comes to its end;
   * what waits keeps waiting, and uses no attempt. Idempotent; does nothing unless it runs.
   */
  public synchronized void pause() {
    if (running != null) {
      running.consuming.lanes.pause();
    }
  }

  /** Goes on after {@link #pause()}. Idempotent; does nothing unless it runs. */
  public synchronized void resume() {
    if (running != null) {
      running.consuming.lanes.resume();
    }
  }

  /**
   * Says how the janitor inside does; empty if there is none, or the consumer does not run. A
   * service shows it in its own health: an inbox that is not purged grows until the disk is full.
   */
  public synchronized Optional<JanitorHealth> janitorHealth() {
    return running == null ? Optional.empty() : running.janitor.map(Janitor::health);
  }

  private void stop(Running consumer) {
    consumer.client.suspend();
    consumer.consuming.intake.close();
    consumer.consuming.lanes.stop();
    boolean interrupted = false;
    try {
      if (!consumer.consuming.intake.awaitDrained(drain)) {
        log.warn(
            "{} - Messages are still in flight after the drain time of {}; they are interrupted"
                + " and will be delivered again",
            consumerGroup,
            drain);
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    consumer.consuming.lanes.close();
    consumer.client.shutdown();
    consumer.consuming.intake.release();
    consumer.janitor.ifPresent(Janitor::close);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Builds an {@link InboxConsumer}. Not thread-safe. */
  public static final class Builder {
    private final String consumerGroup;
    private final DSLContext dsl;
    private final StoreDialect dialect;
    private final Inbox.Builder inbox;
    private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
    private final List<Consumer<DefaultMQPushConsumer>> customizers = new ArrayList<>();
    private boolean orderly;
    private LaneSettings lanes = LaneSettings.DEFAULTS;
    private Duration drain = Duration.ofSeconds(30);
    private @Nullable RPCHook rpcHook;
    private JanitorSettings janitor = JanitorSettings.DEFAULTS;

    private Builder(String consumerGroup, DSLContext dsl, StoreDialect dialect) {
      this.consumerGroup = Names.consumerGroup(consumerGroup);
      this.inbox = Inbox.builder(consumerGroup, dsl, dialect);
      this.dsl = dsl;
      this.dialect = dialect;
    }

    /**
     * Sets the name server's address, {@code host:port}; several are separated by {@code ;}.
     * Required, here or by {@link #customize}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public Builder nameServer(String address) {
      String checked = ClientSetup.nameServer(address);
      return customize(client -> client.setNamesrvAddr(checked));
    }

    /**
     * Subscribes to all messages of a topic, with the topic as their scope.
     *
     * @param keys finds what identifies a message; see {@link io.txbox.DedupKeys}
     * @throws IllegalArgumentException if the topic is blank or subscribed already
     */
    public Builder subscribe(String topic, DedupKeyExtractor keys, InboxHandler handler) {
      return subscribe(topic, keys, handler, subscription -> {});
    }

    /**
     * Subscribes to a topic, with tags, a scope, an ordering key or a limit of attempts of your
     * choice: all that {@link Subscription} has.
     *
     * @param options sets them
     * @throws IllegalArgumentException if the topic is blank or subscribed already
     */
    public Builder subscribe(
        String topic,
        DedupKeyExtractor keys,
        InboxHandler handler,
        Consumer<Subscription> options) {
      Subscription subscription = subscription(topic, options);
      inbox.handler(topic, keys, handler, subscription.options());
      subscriptions.put(topic, subscription);
      return this;
    }

    /**
     * Subscribes to all messages of a topic, to handle many in one call, with the topic as their
     * scope.
     *
     * @param keys finds what identifies a message; see {@link io.txbox.DedupKeys}
     * @throws IllegalArgumentException if the topic is blank or subscribed already
     */
    public Builder subscribeBatch(String topic, DedupKeyExtractor keys, BatchInboxHandler handler) {
      return subscribeBatch(topic, keys, handler, subscription -> {});
    }

    /**
     * Subscribes to a topic, to handle many messages in one call, with tags, a scope, an ordering
     * key or a limit of attempts of your choice: all that {@link Subscription} has.
     *
     * @param options sets them
     * @throws IllegalArgumentException if the topic is blank or subscribed already
     */
    public Builder subscribeBatch(
        String topic,
        DedupKeyExtractor keys,
        BatchInboxHandler handler,
        Consumer<Subscription> options) {
      Subscription subscription = subscription(topic, options);
      inbox.batchHandler(topic, keys, handler, subscription.options());
      subscriptions.put(topic, subscription);
      return this;
    }

    private static Subscription subscription(String topic, Consumer<Subscription> options) {
      Subscription subscription = new Subscription(topic);
      options.accept(subscription);
      return subscription;
    }

    /**
     * Consumes each queue in order: a message that fails holds up its queue until it comes through,
     * or until it is parked by {@link Subscription#maxAttempts}. Default: any order.
     */
    public Builder orderly() {
      this.orderly = true;
      return this;
    }

    /**
     * Sets how many lanes there are at most: each handles one batch at a time, in one transaction
     * on one connection. Two work on a quick handler, and more the longer it takes. Default: 8. The
     * pool must give as many connections at once, which is checked at the start; the janitor inside
     * takes one more, for moments.
     *
     * @throws IllegalArgumentException if it is below 1 or above 1,000
     */
    public Builder lanes(int lanes) {
      this.lanes = this.lanes.withLanes(lanes);
      return this;
    }

    /**
     * Sets how many messages share a transaction at most. Batches form from load: a lane takes what
     * is there, and waits for nothing. At 1, each message has a transaction of its own. Default:
     * 64. The README lists what handlers of one batch share.
     *
     * @throws IllegalArgumentException if it is below 1 or above 1,000
     */
    public Builder maxBatch(int maxBatch) {
      this.lanes = this.lanes.withMaxBatch(maxBatch);
      return this;
    }

    /**
     * Sets for how long a transaction begins further messages. What its time does not suffice for
     * goes back, untouched, to the next free lane. A slow handler gets small batches by it.
     * Default: 50 ms.
     *
     * @throws IllegalArgumentException if it is below 1 ms or above a minute
     */
    public Builder batchTime(Duration batchTime) {
      this.lanes = this.lanes.withBatchTime(batchTime);
      return this;
    }

    /**
     * Sets for how long inbox rows are kept, and what becomes of messages that are older than that
     * when they come. A janitor inside the consumer purges what is older. Default: 7 days.
     *
     * <p>{@link InboxConsumer#start()} refuses one that is too short for what the brokers keep and
     * delay, unless it says {@link Retention#acceptShortRetention()} or there is no janitor inside;
     * if the brokers cannot be asked, that is warned about.
     */
    public Builder retention(Retention retention) {
      inbox.late(retention.late());
      janitor = janitor.withRetention(retention);
      return this;
    }

    /**
     * Leaves the purge to a {@link Janitor} that runs elsewhere: the consumer has none inside. What
     * is set by {@link #retention} then only says what becomes of late messages, and is not checked
     * at the start: {@link Janitor#start()} checks the one that it has.
     */
    public Builder withoutJanitor() {
      janitor = janitor.withoutJanitor();
      return this;
    }

    /** Adds a listener that is told what the janitor inside does. */
    public Builder janitorListener(JanitorListener listener) {
      janitor = janitor.withListener(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Sets how long {@link InboxConsumer#close()} lets messages in flight go on. Default: 30 s.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder drain(Duration drain) {
      this.drain = Require.atLeast("drain", Duration.ZERO, drain);
      return this;
    }

    /**
     * Looks for txbox's tables in this schema (MySQL: database). Default: the connection's.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public Builder schema(String schema) {
      inbox.schema(schema);
      janitor = janitor.withSchema(schema);
      return this;
    }

    /** Adds a listener that is told what happens to each message. */
    public Builder listener(InboxListener listener) {
      inbox.listener(listener);
      return this;
    }

    /** Sets the clock that stamps the rows. Default: the system's. */
    public Builder clock(InstantSource clock) {
      inbox.clock(clock);
      janitor = janitor.withClock(clock);
      return this;
    }

    /** Sets the hook that signs each call to the brokers, for ACL. Default: none. */
    public Builder rpcHook(RPCHook rpcHook) {
      this.rpcHook = Objects.requireNonNull(rpcHook, "rpcHook");
      return this;
    }

    /**
     * Changes RocketMQ's client before it starts: TLS, namespace, pull sizes, where a new group
     * starts, and all else that is not named here. Called at {@link InboxConsumer#start()}, in the
     * order given; {@code start()} refuses what an inbox cannot live with.
     */
    public Builder customize(Consumer<DefaultMQPushConsumer> customizer) {
      customizers.add(Objects.requireNonNull(customizer, "customizer"));
      return this;
    }

    /**
     * Builds the consumer. Asks nothing of the database or the broker, and starts no thread.
     *
     * @throws IllegalArgumentException if there is no subscription, or the options of one do not
     *     fit each other or {@link #orderly()}
     */
    public InboxConsumer build() {
      if (subscriptions.isEmpty()) {
        throw new IllegalArgumentException("a consumer needs at least one subscribe(topic, …)");
      }
      subscriptions.values().forEach(subscription -> subscription.check(orderly));
      return new InboxConsumer(this);
    }
  }
}
