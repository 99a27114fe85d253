package io.txbox.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.txbox.inbox.DuplicateCause;
import io.txbox.inbox.InboxEvent;
import io.txbox.rocketmq.InboxConsumer;
import io.txbox.testkit.broker.KillableBroker;
import io.txbox.testkit.broker.KillableBrokerExtension;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All messages come again, since the group's offsets were lost or set back: each is a duplicate,
 * and nothing is written.
 */
public abstract class OffsetLossContract extends BrokerContract {
  @RegisterExtension
  static final KillableBrokerExtension KILLABLE = KillableBrokerExtension.perClass();

  private static final List<String> KEYS = IntStream.range(0, 200).mapToObj(i -> "p" + i).toList();
  private static final List<String> TABLES = List.of("inbox", "inbox_scope", "business_effect");

  /** For subclasses. */
  protected OffsetLossContract() {}

  /**
   * Makes the database raise an error, from now on, whenever a row of this table is written or
   * deleted. A claim that finds its key writes none.
   */
  protected abstract void refuseWrites(String table);

  /** Ends that, and does nothing if it was not begun. */
  protected abstract void allowWrites(String table);

  /** Returns a table's rows, with what the database keeps beside them if that can be seen. */
  protected List<Record> rows(String table) {
    return dsl().selectFrom(DSL.table(DSL.name(table))).fetch().sortAsc(0);
  }

  @Override
  KillableBroker broker() {
    return KILLABLE.broker();
  }

  @Override
  @AfterEach
  void leavesNothingBehind() {
    super.leavesNothingBehind();
    TABLES.forEach(this::allowWrites);
  }

  // BC-47
  @Test
  void skipsAllWhenTheOffsetsAreSetBackWhileItRuns() {
    KEYS.forEach(this::send);
    start(Effects.handler());
    awaitAllAcknowledged();
    List<List<Record>> before = refuseWrites();

    broker().rewindOffsets(group, topic);

    assertAllSkipped(before);
  }

  // BC-47
  @Test
  void skipsAllWhenTheGroupWasDeleted() {
    processAllAndStop();
    List<List<Record>> before = refuseWrites();

    broker().deleteOffsets(group);

    assertThat(broker().committedOffset(group, topic, 0)).isEmpty();
    start(fromTheFirstOffset());
    assertAllSkipped(before);
  }

  // BC-47
  @Test
  void skipsAllWhenTheBrokerHasLostItsFileOfOffsets() {
    processAllAndStop();
    List<List<Record>> before = refuseWrites();
    broker().flush();

    broker().restartWithoutOffsets();

    assertThat(broker().committedOffset(group, topic, 0)).isEmpty();
    start(fromTheFirstOffset());
    assertAllSkipped(before);
  }

  private void processAllAndStop() {
    KEYS.forEach(this::send);
    InboxConsumer consumer = start(Effects.handler());
    awaitAllAcknowledged();
    consumer.close();
    assertThat(broker().committedOffset(group, topic, 0)).isPresent();
  }

  /** By default a group without offsets may begin at the end. */
  private InboxConsumer.Builder fromTheFirstOffset() {
    return consumer()
        .customize(client -> client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET))
        .subscribe(topic, BY_KEYS, Effects.handler());
  }

  private List<List<Record>> refuseWrites() {
    assertThat(events.of(InboxEvent.class)).hasSize(KEYS.size());
    TABLES.forEach(this::refuseWrites);
    return stored();
  }

  private List<List<Record>> stored() {
    return TABLES.stream().map(this::rows).toList();
  }

  private void assertAllSkipped(List<List<Record>> before) {
    soon().until(() -> events.of(InboxEvent.class).size() >= 2 * KEYS.size());
    awaitAllAcknowledged();
    assertThat(events.of(InboxEvent.Processed.class)).hasSize(KEYS.size());
    assertThat(events.of(InboxEvent.Duplicate.class))
        .hasSize(KEYS.size())
        .allMatch(duplicate -> duplicate.cause() == DuplicateCause.REDELIVERY);
    assertThat(effects().all()).containsExactlyInAnyOrderElementsOf(KEYS);
    assertThat(stored()).isEqualTo(before);
  }
}
