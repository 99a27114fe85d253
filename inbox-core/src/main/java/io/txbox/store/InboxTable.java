package io.txbox.store;

import java.io.Serial;
import java.time.Instant;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** The inbox: one row for each message that was handled. */
public final class InboxTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Short> scopeId =
      createField(DSL.name("scope_id"), SQLDataType.SMALLINT.nullable(false), this);
  public final TableField<Record, String> dedupKey =
      createField(DSL.name("dedup_key"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, Short> state =
      createField(DSL.name("state"), SQLDataType.SMALLINT.nullable(false), this);
  public final TableField<Record, Instant> messageTime =
      createField(DSL.name("message_time"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, Instant> processedAt =
      createField(DSL.name("processed_at"), EpochMillis.TYPE.nullable(false), this);
  public final TableField<Record, String> messageId =
      createField(DSL.name("message_id"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, Long> bodyFingerprint =
      createField(DSL.name("body_fingerprint"), SQLDataType.BIGINT.nullable(false), this);

  InboxTable(Name name) {
    super(name);
  }
}
