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

/**
 * The scopes: one row for each consumer group and scope, so that an inbox row holds a small number
 * instead of two names.
 */
public final class InboxScopeTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Short> id =
      createField(DSL.name("id"), SQLDataType.SMALLINT.identity(true), this);
  public final TableField<Record, String> consumerGroup =
      createField(DSL.name("consumer_group"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> scope =
      createField(DSL.name("scope"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, Instant> createdAt =
      createField(DSL.name("created_at"), EpochMillis.TYPE.nullable(false), this);

  public final TableField<Record, Instant> horizon =
      createField(DSL.name("horizon"), EpochMillis.TYPE, this);
  public final TableField<Record, Duration> margin =
      createField(DSL.name("margin"), Millis.TYPE, this);
  public final TableField<Record, Instant> horizonAnnouncedAt =
      createField(DSL.name("horizon_announced_at"), EpochMillis.TYPE, this);
  public final TableField<Record, Instant> purgeHorizon =
      createField(DSL.name("purge_horizon"), EpochMillis.TYPE, this);

  InboxScopeTable(Name name) {
    super(name);
  }
}
