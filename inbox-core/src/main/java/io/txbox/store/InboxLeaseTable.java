package io.txbox.store;

import java.io.Serial;
import org.jooq.Name;
import org.jooq.Record;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** Who does what only one may do at a time. */
public final class InboxLeaseTable extends TableImpl<Record> {
  @Serial private static final long serialVersionUID = 1;

  public final TableField<Record, Long> term =
      createField(DSL.name("term"), SQLDataType.BIGINT.nullable(false), this);
  public final TableField<Record, Long> beat =
      createField(DSL.name("beat"), SQLDataType.BIGINT.nullable(false), this);
  public final TableField<Record, String> lease =
      createField(DSL.name("name"), SQLDataType.VARCHAR.nullable(false), this);
  public final TableField<Record, String> holder =
      createField(DSL.name("holder"), SQLDataType.VARCHAR, this);

  InboxLeaseTable(Name name) {
    super(name);
  }
}
