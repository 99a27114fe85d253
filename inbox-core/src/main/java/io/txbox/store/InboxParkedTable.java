package io.txbox.store;

import java.io.Serial;
import java.time.Instant;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** The parked messages, each with all that it came with. */
public final class InboxParkedTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Long> id =
      createField(DSL.name("id"), SQLDataType.BIGINT.identity(true), this);
  public final TableField<Record, Instant> parkedAt =
      createField(DSL.name("parked_at"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Instant> messageTime =
      createField(DSL.name("message_time"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Instant> bornAt =
      createField(DSL.name("born_at"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Instant> storedAt =
      createField(DSL.name("stored_at"), EpochMillis.TYPE, this);
  public final TableField<Record, Long> queueOffset =
      createField(DSL.name("queue_offset"), SQLDataType.BIGINT, this);
  public final TableField<Record, Integer> queue =
      createField(DSL.name("queue"), SQLDataType.INTEGER, this);
  public final TableField<Record, Integer> attempt =
      createField(DSL.name("attempt"), SQLDataType.INTEGER.nullable(false), this);
  public final TableField<Record, Short> scopeId =
      createField(DSL.name("scope_id"), SQLDataType.SMALLINT.nullable(false), this);
  public final TableField<Record, String> dedupKey =
      createField(DSL.name("dedup_key"), SQLDataType.VARCHAR, this);
  public final TableField<Record, String> orderingKey =
      createField(DSL.name("ordering_key"), SQLDataType.VARCHAR, this);
  public final TableField<Record, String> reason =
      createField(DSL.name("reason"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> detail =
      createField(DSL.name("detail"), SQLDataType.VARCHAR, this);
  public final TableField<Record, String> topic =
      createField(DSL.name("topic"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> messageId =
      createField(DSL.name("message_id"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> broker =
      createField(DSL.name("broker"), SQLDataType.VARCHAR, this);
  public final TableField<Record, byte[]> properties =
      createField(DSL.name("properties"), SQLDataType.BLOB.nullable(false), this);
  public final TableField<Record, byte[]> body =
      createField(DSL.name("body"), SQLDataType.BLOB, this);

  InboxParkedTable(Name name) {
    super(name);
  }
}
