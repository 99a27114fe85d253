package io.txbox.store;

import java.io.Serial;
import java.time.Instant;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** The queues that a consumer group has had, and how far it had consumed them. */
public final class InboxQueueTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Instant> consumedThrough =
      createField(DSL.name("consumed_through"), EpochMillis.TYPE, this);
  public final TableField<Record, Instant> seenAt =
      createField(DSL.name("seen_at"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Integer> queue =
      createField(DSL.name("queue"), SQLDataType.INTEGER.nullable(false), this);
  public final TableField<Record, String> consumerGroup =
      createField(DSL.name("consumer_group"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> topic =
      createField(DSL.name("topic"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> broker =
      createField(DSL.name("broker"), SQLDataType.VARCHAR.nullable(false), this);

  InboxQueueTable(Name name) {
    super(name);
  }
}
