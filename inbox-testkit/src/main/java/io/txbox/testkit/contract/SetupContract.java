package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txbox.InboxMessage;
import io.txbox.SetupException;
import io.txbox.inbox.ExhaustedPolicy;
import io.txbox.inbox.Inbox;
import io.txbox.internal.database.ConnectionProbe;
import io.txbox.janitor.Janitor;
import io.txbox.janitor.Retention;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.rocketmq.RocketMqProgress;
import io.txbox.store.InboxSchema;
import io.txbox.store.InboxSchemaTable;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.jooq.ConnectionProvider;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

/** What is not fit is refused before anything starts, by an error that says what to do. */
public abstract class SetupContract extends SharedBrokerContract {
  /** For subclasses. */
  protected SetupContract() {}

  @Test
  void refusesAContextOnASingleConnection() {
    dsl()
        .connection(
            connection -> {
              DSLContext single = DSL.using(connection, dsl().dialect());
              assertThatThrownBy(() -> Inbox.builder(group, single, dialect()))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("a single one")
                  .hasMessageContaining("DSL.using(dataSource");
              assertThatThrownBy(() -> InboxConsumer.builder(group, single, dialect()))
                  .isInstanceOf(IllegalArgumentException.class);
            });
  }

  @Test
  void refusesAContextWithoutConnections() {
    assertThatThrownBy(() -> Inbox.builder(group, DSL.using(dsl().dialect()), dialect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has none");
  }

  @Test
  void refusesAContextForAnotherDatabase() {
    DSLContext other = DSL.using(database().dataSource(), SQLDialect.H2);

    assertThatThrownBy(() -> Inbox.builder(group, other, dialect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dsl has the jOOQ dialect H2")
        .hasMessageContaining(dialect().getClass().getSimpleName());
  }

  @Test
  void refusesBadArgumentsByNameAndValue() {
    assertThatThrownBy(() -> Inbox.builder(" ", dsl(), dialect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("consumerGroup must not be blank, but was ' '");
    assertThatThrownBy(() -> builder(dsl()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one handler");
    assertThatThrownBy(
            () ->
                builder(dsl())
                    .handler(TOPIC, BY_KEYS, Effects.handler())
                    .handler(TOPIC, BY_KEYS, Effects.handler()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topic '" + TOPIC + "' has a handler already");
    assertThatThrownBy(() -> builder(dsl()).claimWait(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("claimWait must be at least 1ms, but was 0s");
    assertThatThrownBy(() -> consumer().lanes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lanes must be at least 1, but was 0");
    assertThatThrownBy(() -> consumer().lanes(1_000_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lanes must be at most 1000, but was 1000000");
    assertThatThrownBy(() -> InboxConsumer.builder("a b", dsl(), dialect()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("consumerGroup 'a b' is none that RocketMQ allows");
    for (String address : List.of("a:1,b:2", "http://mq:1", "mq", "a:1;b", "a:b:1", ":1")) {
      assertThatThrownBy(() -> consumer().nameServer(address))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("but was '" + address + "'");
    }
    assertThatCode(() -> consumer().nameServer("mq-1:9876;10.0.0.7:9876;[::1]:9876"))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () ->
                consumer()
                    .orderly()
                    .subscribe(
                        topic,
                        BY_KEYS,
                        Effects.handler(),
                        subscription -> subscription.orderingKey(InboxMessage::keys))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("orderingKey of topic '" + topic + "' would order nothing");
    assertThatThrownBy(
            () -> subscribed(consumer().orderly(), 2, ExhaustedPolicy.PARK_SEQUENCE).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxAttempts(2, PARK_SEQUENCE) of topic '" + topic + "' needs an");
    assertThatThrownBy(() -> subscribed(consumer(), 2, ExhaustedPolicy.PARK).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxAttempts(2, PARK) of topic '" + topic + "' is for orderly()");
    assertThatThrownBy(() -> subscribed(consumer(), 0, ExhaustedPolicy.PARK))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxAttempts must be at least 1, but was 0");
    assertThatThrownBy(() -> consumer().maxBatch(1_001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxBatch must be at most 1000, but was 1001");
    assertThatThrownBy(() -> consumer().batchTime(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("batchTime must be at least 1ms, but was 0s");
    assertThatThrownBy(() -> consumer().build()).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAMessageOfATopicWithoutHandler() {
    assertThatThrownBy(
            () -> inbox(Effects.handler()).receive(InboxMessage.builder("OTHER").build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'OTHER'")
        .hasMessageContaining(TOPIC);
  }

  @Test
  void refusesToStartWithoutItsSchema() {
    InboxConsumer.Builder builder =
        consumer().schema("no_such_schema").subscribe(topic, BY_KEYS, Effects.handler());

    assertThatThrownBy(() -> builder.build().start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("'no_such_schema'")
        .hasMessageContaining("Migrations.migrate(dataSource, \"no_such_schema\")")
        .hasMessageContaining("--schema no_such_schema");
    assertNothingRuns();
  }

  @Test
  void refusesARetentionThatIsTooShortForTheBroker() {
    InboxConsumer.Builder builder =
        consumer().retention(Retention.ofDays(1)).subscribe(topic, BY_KEYS, Effects.handler());

    assertThatThrownBy(() -> builder.build().start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining(
            "retention of consumer group '" + group + "' is 1 d, but needs at least 3 d")
        .hasMessageContaining("3 d broker storage + ")
        .hasMessageContaining("acceptShortRetention()");
    assertNothingRuns();
    start(
        consumer()
            .retention(Retention.ofDays(1).acceptShortRetention())
            .subscribe(topic, BY_KEYS, Effects.handler()));
  }

  /** The threads of RocketMQ's client are no daemons: with one left, the JVM would never end. */
  @Test
  void aJanitorThatIsRefusedLeavesNoThread() {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Janitor janitor =
        Janitor.builder(dsl(), dialect())
            .group(
                group,
                Retention.ofDays(1),
                RocketMqProgress.builder(group)
                    .nameServer(broker().nameServer())
                    .topics(Set.of(topic))
                    .build())
            .build();

    assertThatThrownBy(janitor::start)
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("retention of consumer group '" + group + "' is 1 d");
    soon()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !before.contains(thread))
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("MQClientFactoryScheduledThread")));
    assertThatThrownBy(janitor::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesToStartOnASchemaThatIsTooOld() {
    InboxSchemaTable versions = InboxSchema.ofConnection().version();
    dsl().deleteFrom(versions).execute();
    try {
      assertThatThrownBy(
              () -> consumer().subscribe(topic, BY_KEYS, Effects.handler()).build().start())
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("has version 0")
          .hasMessageContaining("needs 1")
          .hasMessageContaining("Migrations.migrate(dataSource)");
    } finally {
      dsl().insertInto(versions, versions.version).values(1).execute();
    }
    assertNothingRuns();
  }

  @Test
  void runsOnTheNextSchema() {
    InboxSchemaTable versions = InboxSchema.ofConnection().version();
    dsl().insertInto(versions, versions.version).values(2).execute();
    try {
      assertThat(inbox(Effects.handler()).receive(message("a")).isProcessed()).isTrue();
    } finally {
      dsl().deleteFrom(versions).where(versions.version.eq(2)).execute();
    }
  }

  @Test
  void refusesASchemaThatIsNewerThanTheNextOne() {
    InboxSchemaTable versions = InboxSchema.ofConnection().version();
    dsl().insertInto(versions, versions.version).values(3).execute();
    try {
      assertThatThrownBy(() -> inbox(Effects.handler()).check())
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("has version 3")
          .hasMessageContaining("upgrade the library");
    } finally {
      dsl().deleteFrom(versions).where(versions.version.eq(3)).execute();
    }
  }

  // BC-62
  @Test
  void refusesBroadcasting() {
    assertThatThrownBy(
            () ->
                consumer()
                    .subscribe(topic, BY_KEYS, Effects.handler())
                    .customize(client -> client.setMessageModel(MessageModel.BROADCASTING))
                    .build()
                    .start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("messageModel must be CLUSTERING, but is BROADCASTING");
    assertNothingRuns();
  }

  @Test
  void refusesMoreAttemptsThanTheClientLetsAMessageHave() {
    InboxConsumer consumer =
        subscribed(consumer().orderly(), 3, ExhaustedPolicy.PARK)
            .customize(client -> client.setMaxReconsumeTimes(1))
            .build();

    assertThatThrownBy(consumer::start)
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("maxAttempts of topic '" + topic + "' is 3")
        .hasMessageContaining("dead-letter topic after 2 attempts");
    assertNothingRuns();
  }

  private InboxConsumer.Builder subscribed(
      InboxConsumer.Builder consumer, int maxAttempts, ExhaustedPolicy policy) {
    return consumer.subscribe(
        topic,
        BY_KEYS,
        Effects.handler(),
        subscription -> subscription.maxAttempts(maxAttempts, policy));
  }

  @Test
  void refusesAMissingNameServer() {
    assertThatThrownBy(
            () ->
                InboxConsumer.builder(group, dsl(), dialect())
                    .lanes(1)
                    .subscribe(topic, BY_KEYS, Effects.handler())
                    .build()
                    .start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("nameServer");
    assertNothingRuns();
  }

  // BC-50
  @Test
  void refusesAGroupWithoutRetryQueues() {
    broker().configureGroup(group, config -> config.setRetryQueueNums(0));

    assertThatThrownBy(
            () -> consumer().subscribe(topic, BY_KEYS, Effects.handler()).build().start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("retryQueueNums of consumer group '" + group + "' is 0");
    assertNothingRuns();
  }

  // BC-52
  @Test
  void refusesMoreLanesThanConnections() {
    DSLContext small =
        dsl(
            pool -> {
              pool.setMaximumPoolSize(3);
              pool.setConnectionTimeout(30_000);
            });

    assertThatThrownBy(
            () ->
                InboxConsumer.builder(group, small, dialect())
                    .nameServer(broker().nameServer())
                    .lanes(5)
                    .subscribe(topic, BY_KEYS, Effects.handler())
                    .build()
                    .start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("lanes is 5")
        .hasMessageContaining("only 3 connections");
    assertNothingRuns();
  }

  @Test
  void asksAPoolAgainThatGaveUp() {
    start(consumer(givingUp(10)).subscribe(topic, BY_KEYS, Effects.handler()));

    send("1");

    soon().until(() -> effects().count() == 1);
  }

  @Test
  void saysWhyAPoolGaveUp() {
    assertThatThrownBy(
            () ->
                consumer(givingUp(Integer.MAX_VALUE))
                    .subscribe(topic, BY_KEYS, Effects.handler())
                    .build()
                    .start())
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("only 0 connections")
        .hasStackTraceContaining("gave up");
    assertNothingRuns();
  }

  /** Two transactions on it would be one: the commit of one stores the claim of the other. */
  @Test
  void refusesAPoolThatHasOneConnectionForAll() {
    assertRefusedAsShared(shared -> consumerOn(shared, defaults -> defaults).start());
    // The janitor inside would be the second on it.
    assertRefusedAsShared(shared -> consumerOn(shared, defaults -> defaults.lanes(1)).start());
    assertRefusedAsShared(
        shared -> builder(shared).handler(TOPIC, BY_KEYS, Effects.handler()).build().check());
    assertRefusedAsShared(
        shared -> {
          try (Janitor janitor =
              Janitor.builder(shared, dialect())
                  .group(group, Retention.ofDays(7).byWallClock())
                  .build()) {
            janitor.start();
          }
        });
  }

  private InboxConsumer consumerOn(
      DSLContext dsl, UnaryOperator<InboxConsumer.Builder> customizer) {
    return customizer.apply(consumer(dsl)).subscribe(topic, BY_KEYS, Effects.handler()).build();
  }

  private void assertRefusedAsShared(Consumer<DSLContext> start) {
    ConnectionProvider pool = dsl().configuration().connectionProvider();
    Connection one = pool.acquire();
    try {
      assertThatThrownBy(() -> start.accept(dsl().configuration().derive(always(one)).dsl()))
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("one connection for all transactions");
      assertNothingRuns();
    } finally {
      pool.release(one);
    }
  }

  private static ConnectionProvider always(Connection one) {
    return new ConnectionProvider() {
      @Override
      public Connection acquire() {
        return one;
      }

      @Override
      public void release(Connection connection) {}
    };
  }

  /** Its one lane and the janitor inside take turns. */
  @Test
  void runsOnAPoolOfOneConnection() {
    DSLContext one = database().dsl(database().dataSource(config -> config.setMaximumPoolSize(1)));
    start(consumer(one).lanes(1).subscribe(topic, BY_KEYS, Effects.handler()));

    send("1");

    soon().until(() -> effects().count() == 1);
  }

  @Test
  void refusesAPoolOfReadOnlyConnections() {
    DSLContext readOnly = database().dsl(database().dataSource(config -> config.setReadOnly(true)));

    assertThatThrownBy(consumerOn(readOnly, defaults -> defaults)::start)
        .isInstanceOf(SetupException.class)
        .hasMessageContaining("read-only connections");
    assertNothingRuns();
  }

  @Test
  void givesBackTheConnectionsThatItLookedFor() {
    ConnectionProvider pool = dsl().configuration().connectionProvider();
    AtomicInteger inUse = new AtomicInteger();
    DSLContext counted =
        dsl()
            .configuration()
            .derive(
                new ConnectionProvider() {
                  @Override
                  public Connection acquire() {
                    inUse.incrementAndGet();
                    return pool.acquire();
                  }

                  @Override
                  public void release(Connection connection) {
                    pool.release(connection);
                    inUse.decrementAndGet();
                  }
                })
            .dsl();

    for (int times = 0; times < 20; times++) {
      ConnectionProbe.requireLanes(counted, dialect(), 4, group);
      assertThat(inUse).hasValue(0);
    }
  }

  /** jOOQ on a pool that refuses those who look for the lanes' connections so many times. */
  private DSLContext givingUp(int times) {
    ConnectionProvider pool = dsl().configuration().connectionProvider();
    AtomicInteger refused = new AtomicInteger();
    return dsl()
        .configuration()
        .derive(
            new ConnectionProvider() {
              @Override
              public Connection acquire() {
                if (Thread.currentThread().getName().contains("-probe-")
                    && refused.getAndIncrement() < times) {
                  throw new DataAccessException("gave up");
                }
                return pool.acquire();
              }

              @Override
              public void release(Connection connection) {
                pool.release(connection);
              }
            })
        .dsl();
  }

  @Test
  void refusesToStartTwiceAndMayBeClosedAnyTime() {
    InboxConsumer never = consumer().subscribe(topic, BY_KEYS, Effects.handler()).build();
    never.close();
    never.close();
    assertThatThrownBy(never::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("STOPPED");

    InboxConsumer once = start(Effects.handler());
    assertThatThrownBy(once::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RUNNING");
    once.close();
    once.close();
  }

  @Test
  void leavesNoThreadOfTheClientBehind() {
    Set<Thread> before = clientThreads();

    start(Effects.handler()).close();
    broker().configureGroup(group + "-bare", config -> config.setRetryQueueNums(0));
    assertThatThrownBy(
            () ->
                InboxConsumer.builder(group + "-bare", dsl(), dialect())
                    .nameServer(broker().nameServer())
                    .subscribe(topic, BY_KEYS, Effects.handler())
                    .build()
                    .start())
        .isInstanceOf(SetupException.class);

    soon().untilAsserted(() -> assertThat(before).containsAll(clientThreads()));
  }

  /** The client's threads that keep a JVM from ending, whoever's they are. */
  private static Set<Thread> clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("MQClientFactoryScheduledThread"))
        .collect(Collectors.toSet());
  }

  @Test
  void refusesATopicAndANameServerThatCannotBe() {
    assertThatThrownBy(() -> consumer().subscribe("a b%c", BY_KEYS, Effects.handler()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a b%c");
    assertThatThrownBy(() -> consumer().nameServer("localhost"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nameServer")
        .hasMessageContaining("'localhost'");
  }

  private void assertNothingRuns() {
    soon()
        .untilAsserted(
            () ->
                assertThat(threadNames())
                    .noneMatch(name -> name.startsWith(group))
                    .noneMatch(name -> name.startsWith("ConsumeMessageThread_" + group)));
    assertThat(effects().count()).isZero();
  }

  private static Stream<String> threadNames() {
    Set<Thread> threads = Thread.getAllStackTraces().keySet();
    return threads.stream().map(Thread::getName);
  }
}
