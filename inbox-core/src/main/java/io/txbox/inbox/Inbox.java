package io.txbox.inbox;

import io.txbox.BatchInboxHandler;
import io.txbox.DedupKeyExtractor;
import io.txbox.DeliveryException;
import io.txbox.InboxHandler;
import io.txbox.InboxMessage;
import io.txbox.KeyRefusedException;
import io.txbox.inbox.Delivery.Patience;
import io.txbox.internal.Require;
import io.txbox.internal.database.ConnectionProbe;
import io.txbox.internal.database.Database;
import io.txbox.internal.database.Rights;
import io.txbox.internal.database.SetupCheck;
import io.txbox.internal.guard.SqlGate;
import io.txbox.janitor.LatePolicy;
import io.txbox.store.InboxSchema;
import io.txbox.store.StoreDialect;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * Runs a handler once per dedup key, in the transaction that records the key.
 *
 * <p>It knows no broker: {@link #receive} is all that a test of a handler against a real database
 * needs. Thread-safe. It has no threads and holds no connection between calls, so there is nothing
 * to close.
 */
public final class Inbox {
  private final String consumerGroup;
  private final Database database;
  private final Map<String, Route> routes;
  private final Engine engine;
  private final Patience patience;
  private volatile boolean checked;

  private Inbox(Builder builder) {
    consumerGroup = builder.consumerGroup;
    database = new Database(builder.dsl, builder.dialect, builder.schema);
    routes = Map.copyOf(builder.routes);
    SettingAside aside = new SettingAside(builder.schema, builder.clock);
    engine =
        new Engine(
            database,
            new SqlGate(builder.dialect),
            new InboxRows(
                new ScopeIds(builder.consumerGroup, database, builder.clock), builder.clock),
            new Lateness(
                new Horizons(builder.schema, builder.clock, System::nanoTime), builder.late, aside),
            new Exhaustion(builder.schema, aside),
            builder.maxTransientRetries,
            new Events(builder.consumerGroup, builder.listeners));
    patience = new Patience(builder.claimWait, builder.claimWait, true, Duration.ZERO);
  }

  /**
   * Starts an inbox.
   *
   * @param consumerGroup the consumer group that the messages are handled for
   * @param dsl takes its connections from a pool; its transaction provider is the one that is used
   * @param dialect the database's dialect
   * @return a builder, for one thread
   * @throws IllegalArgumentException if the group is blank, or {@code dsl} holds a single
   *     connection, or is for another database than the dialect
   */
  public static Builder builder(String consumerGroup, DSLContext dsl, StoreDialect dialect) {
    return new Builder(consumerGroup, dsl, dialect);
  }

  /**
   * Brings a message to its end: claims its dedup key, runs the handler if the key is new, and
   * commits both together. Waits while another transaction works on the same key, and then decides
   * by what became of it. A transient error of the database is retried at once, up to a bound.
   *
   * @param message a message of one of the topics that have a handler
   * @return a receipt: the effects are committed, now or before
   * @throws DeliveryException if it came to no end; all was rolled back, as far as is known, and
   *     the message must be delivered again
   * @throws io.txbox.SetupException at the first call, if the database or its schema is not fit
   * @throws IllegalArgumentException if no handler was given for the topic
   * @throws IllegalStateException if it is called by a handler whose own transaction holds the key
   */
  public Receipt receive(InboxMessage message) {
    check();
    Incoming incoming = incoming(message);
    HeldKeys.refuse(incoming.key());
    Ending ending =
        new Delivery(engine, patience, Thread.currentThread()::isInterrupted)
            .run(List.of(incoming), false)
            .get(incoming);
    if (ending instanceof Ending.Done done) {
      return done.receipt();
    }
    if (ending instanceof Ending.Failed failed) {
      throw failed.failure();
    }
    throw new IllegalStateException("A delivery to the end came to none: " + ending);
  }

  /** Finds what identifies and orders a message; tells the listeners if its key is refused. */
  Incoming incoming(InboxMessage message) {
    try {
      return routeOf(message).incoming(message);
    } catch (KeyRefusedException e) {
      engine.events().tell(new InboxEvent.KeyRefused(message, e));
      throw e;
    }
  }

  Engine engine() {
    return engine;
  }

  /**
   * Checks, once, that the database is the dialect's, is set such that an inbox is true on it, has
   * the schema, and lets its user do what an inbox does. {@link #receive} does so by itself; a
   * service does it at its start.
   *
   * @throws io.txbox.SetupException if not, with what to do
   */
  public void check() {
    if (!checked) {
      SetupCheck.database(database);
      SetupCheck.writable(database);
      ConnectionProbe.requireOwnSessions(database.dsl(), database.dialect(), consumerGroup);
      Rights.ofInbox(database);
      checked = true;
    }
  }

  /** Returns the topics that have a handler. */
  public Set<String> topics() {
    return routes.keySet();
  }

  private Route routeOf(InboxMessage message) {
    Route route = routes.get(message.topic());
    if (route == null) {
      throw new IllegalArgumentException(
          "topic '" + message.topic() + "' has no handler; there are handlers for " + topics());
    }
    return route;
  }

  /** Builds an {@link Inbox}. Not thread-safe. */
  public static final class Builder {
    private final String consumerGroup;
    private final DSLContext dsl;
    private final StoreDialect dialect;
    private final Map<String, Route> routes = new LinkedHashMap<>();
    private final List<InboxListener> listeners = new ArrayList<>();
    private InboxSchema schema = InboxSchema.ofConnection();
    private InstantSource clock = InstantSource.system();
    private Duration claimWait = Duration.ofSeconds(5);
    private int maxTransientRetries = 10;
    private LatePolicy late = LatePolicy.PARK;

    private Builder(String consumerGroup, DSLContext dsl, StoreDialect dialect) {
      this.consumerGroup = Require.text("consumerGroup", consumerGroup);
      this.dsl = Objects.requireNonNull(dsl, "dsl");
      this.dialect = Objects.requireNonNull(dialect, "dialect");
      SetupCheck.context(dsl, dialect);
    }

    /**
     * Sets who handles the messages of a topic. Their scope is the topic: the same key on another
     * topic is another message.
     *
     * @param keys finds what identifies a message; see {@link io.txbox.DedupKeys}
     * @throws IllegalArgumentException if the topic is blank or has a handler already
     */
    public Builder handler(String topic, DedupKeyExtractor keys, InboxHandler handler) {
      return handler(topic, keys, handler, options -> options);
    }

    /**
     * Sets who handles the messages of a topic, with a scope, an ordering key or a limit of
     * attempts of your choice.
     *
     * @param options makes them of the defaults
     * @throws IllegalArgumentException if the topic is blank or has a handler already
     */
    public Builder handler(
        String topic,
        DedupKeyExtractor keys,
        InboxHandler handler,
        UnaryOperator<RouteOptions> options) {
      Objects.requireNonNull(handler, "handler");
      return route(
          topic, keys, (messages, tx) -> handler.handle(messages.get(0), tx), false, options);
    }

    /**
     * Sets who handles the messages of a topic many at a time. {@link Inbox#receive} gives it each
     * message alone.
     *
     * @throws IllegalArgumentException if the topic is blank or has a handler already
     */
    public Builder batchHandler(String topic, DedupKeyExtractor keys, BatchInboxHandler handler) {
      return batchHandler(topic, keys, handler, options -> options);
    }

    /**
     * Sets who handles the messages of a topic many at a time, with a scope, an ordering key or a
     * limit of attempts of your choice.
     *
     * @param options makes them of the defaults
     * @throws IllegalArgumentException if the topic is blank or has a handler already
     */
    public Builder batchHandler(
        String topic,
        DedupKeyExtractor keys,
        BatchInboxHandler handler,
        UnaryOperator<RouteOptions> options) {
      return route(topic, keys, Objects.requireNonNull(handler, "handler"), true, options);
    }

    private Builder route(
        String topic,
        DedupKeyExtractor keys,
        BatchInboxHandler handler,
        boolean takesMany,
        UnaryOperator<RouteOptions> options) {
      Route route =
          new Route(
              consumerGroup,
              Objects.requireNonNull(keys, "keys"),
              options.apply(RouteOptions.of(topic)),
              handler,
              takesMany);
      if (routes.putIfAbsent(topic, route) != null) {
        throw new IllegalArgumentException("topic '" + topic + "' has a handler already");
      }
      return this;
    }

    /**
     * Looks for txbox's tables in this schema (MySQL: database). Default: the connection's.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public Builder schema(String schema) {
      this.schema = InboxSchema.named(Require.text("schema", schema));
      return this;
    }

    /** Adds a listener that is told what happens to each message. */
    public Builder listener(InboxListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** Sets the clock that stamps the rows. Default: the system's. */
    public Builder clock(InstantSource clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Sets what becomes of a message that has no row, but is so old that it may be a copy of one
     * whose row was purged. Default: {@link LatePolicy#PARK}.
     */
    public Builder late(LatePolicy late) {
      this.late = Objects.requireNonNull(late, "late");
      return this;
    }

    /**
     * Sets how long one claim waits for a rival transaction before it reports {@link
     * InboxEvent.Busy}, lets go of its connection for a moment and waits again. Default: 5 s.
     *
     * @throws IllegalArgumentException if it is below a millisecond or above an hour
     */
    public Builder claimWait(Duration claimWait) {
      this.claimWait =
          Require.between("claimWait", Duration.ofMillis(1), Duration.ofHours(1), claimWait);
      return this;
    }

    /**
     * Sets how often a transaction that met a transient error (deadlock, serialization failure,
     * lock timeout) runs again before the delivery fails. Default: 10.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxTransientRetries(int maxTransientRetries) {
      this.maxTransientRetries = Require.atLeast("maxTransientRetries", 0, maxTransientRetries);
      return this;
    }

    /**
     * Builds the inbox. Asks nothing of the database yet.
     *
     * @throws IllegalArgumentException if there is no handler
     */
    public Inbox build() {
      if (routes.isEmpty()) {
        throw new IllegalArgumentException("an inbox needs at least one handler(topic, …)");
      }
      return new Inbox(this);
    }
  }
}
