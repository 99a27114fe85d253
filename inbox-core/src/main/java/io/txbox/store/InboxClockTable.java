package io.txbox.store;

import java.io.Serial;
import java.time.Duration;
import java.time.Instant;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** How far each consumer group had consumed, at times of the last hours. */
public final class InboxClockTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Instant> sampledAt =
      createField(DSL.name("sampled_at"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Instant> consumedThrough =
      createField(DSL.name("consumed_through"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Duration> lookBack =
      createField(DSL.name("look_back"), Millis.TYPE.nullable(false), this);
  public final TableField<Record, String> consumerGroup =
      createField(DSL.name("consumer_group"), SQLDataType.VARCHAR.nullable(false), this);

  InboxClockTable(Name name) {
    super(name);
  }
}
